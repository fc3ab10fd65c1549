/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keeps histograms by cause: of the distances between starts, and of last latencies. What missed
 * the period is counted in these when the period is known, which is at the end.
 */
#include "analysis/statistics/periods.h"

#include <stdlib.h>
#include <string.h>

static enum component longest(const struct service *states)
{
	const uint64_t *ns = states->state_ns;
	uint64_t asleep_ns = ns[SERVICE_WAKEUP] + ns[SERVICE_BLOCKED];

	if (asleep_ns > ns[SERVICE_ON_CPU] && asleep_ns > ns[SERVICE_RUNQUEUE])
		return COMPONENT_BLOCKED;
	return ns[SERVICE_RUNQUEUE] > ns[SERVICE_ON_CPU] ? COMPONENT_RUNQUEUE : COMPONENT_BUSY;
}

struct late_start late_start_of(const struct timeline *line, uint32_t tid, uint64_t due_ns,
				uint64_t start_ns, struct service_blame *blame)
{
	/* The thread may be in any state when the round is due, and runs when it sends. */
	const struct service_part part = {
		.tid = tid, .from_ns = due_ns, .to_ns = start_ns, .is_handed_over = true};
	struct late_start late = {0};
	struct service states;

	service_clear(&states);
	if (!service_cut(&states, &part, line))
		return late;
	late.is_known = true;
	late.component = longest(&states);
	if (late.component == COMPONENT_RUNQUEUE && blame)
		late.blame = service_blame__largest(blame, &states);
	return late;
}

/* What one cause did; `figure.count` is filled in at the end. */
struct cause {
	struct missed_cause figure;
	struct stat times; /* distances of starts, or last latencies */
};

struct periods {
	struct stat distances;
	struct stat lasts;
	struct cause cause[MISSED_CAUSES_MAX];
	uint32_t cause_cnt;
	uint64_t caused; /* starts */
};

struct periods *periods__new(void)
{
	return calloc(1, sizeof(struct periods));
}

void periods__free(struct periods *periods)
{
	if (!periods)
		return;
	stat_free(&periods->distances);
	stat_free(&periods->lasts);
	for (uint32_t i = 0; i < periods->cause_cnt; i++)
		stat_free(&periods->cause[i].times);
	free(periods);
}

/* Threads of one name are one cause: a compiler is another thread for each file. */
static bool periods_is_same(const struct missed_cause *a, const struct missed_cause *b)
{
	return a->is_late == b->is_late && a->is_known == b->is_known &&
	       a->component == b->component && a->has_blame == b->has_blame &&
	       a->blame.class == b->blame.class && a->blame.kind == b->blame.kind &&
	       a->blame.policy == b->blame.policy && a->blame.priority == b->blame.priority &&
	       !strcmp(a->blame.comm, b->blame.comm);
}

/* Each component, late or not, always has an entry without blame; and so has what is not known. */
#define WITHOUT_BLAME (2 * (NR_COMPONENTS + 1))
_Static_assert(MISSED_CAUSES_MAX > WITHOUT_BLAME, "causes");

static void periods_add(struct periods *periods, struct missed_cause figure, uint64_t ns)
{
	uint32_t i = 0, room = MISSED_CAUSES_MAX - (figure.has_blame ? WITHOUT_BLAME : 0);

	while (i < periods->cause_cnt && !periods_is_same(&periods->cause[i].figure, &figure))
		i++;
	if (i == periods->cause_cnt && i >= room) {
		figure.has_blame = false;
		figure.blame = (struct blame){0};
		periods_add(periods, figure, ns);
		return;
	}
	if (i == periods->cause_cnt)
		periods->cause[periods->cause_cnt++].figure = figure;
	if (periods->cause[i].figure.blame.tid != figure.blame.tid)
		periods->cause[i].figure.blame.tid = 0;
	stat_add(&periods->cause[i].times, ns);
}

static struct missed_cause periods_cause_of(bool is_late, bool is_known, enum component component,
					    const struct blame *blame)
{
	struct missed_cause cause = {.is_late = is_late, .is_known = is_known};

	if (!is_known)
		return cause;
	cause.component = component;
	cause.has_blame = component == COMPONENT_RUNQUEUE && blame->ns;
	if (cause.has_blame)
		cause.blame = *blame;
	/* The time is that of one round; the others of this cause have other times. */
	cause.blame.ns = 0;
	return cause;
}

void periods__start(struct periods *periods, uint64_t distance_ns, bool is_caused,
		    const struct late_start *late)
{
	periods->caused += is_caused;
	stat_add(&periods->distances, distance_ns);
	periods_add(periods, periods_cause_of(true, late->is_known, late->component, &late->blame),
		    distance_ns);
}

void periods__last(struct periods *periods, const struct peak *last, bool is_long)
{
	static const struct blame none = {0};

	stat_add(&periods->lasts, last->latency_ns);
	periods_add(periods,
		    periods_cause_of(false, true, last->component, is_long ? &last->blame : &none),
		    last->latency_ns);
}

static uint64_t period_of(const struct periods *periods)
{
	const struct stat *distances = &periods->distances;
	uint64_t median_ns = stat_percentile(distances, 50), lowest_ns, near;

	if (distances->count < PERIOD_DISTANCES_LEAST || 2 * periods->caused > distances->count)
		return 0;
	near = stat_count_above(distances, (1 - PERIOD_NEAR) * median_ns, &lowest_ns) -
	       stat_count_above(distances, (1 + PERIOD_NEAR) * median_ns, &lowest_ns);
	return near >= PERIOD_SHARE * distances->count ? median_ns : 0;
}

/*
 *	start          (due)          (due)          start
 *	  |--- period ---|--- period ---|--- period ---|
 *
 * Two periods are skipped. A distance counts as the nearest number of periods. A round that follows
 * within half a period makes up for one: its sender catches up.
 */
static uint64_t skipped_periods(const struct stat *distances, uint64_t period_ns)
{
	uint64_t skipped = 0, counted = 0, lowest_ns, cnt;

	while ((cnt = stat_count_above(distances, (counted + PERIOD_LATE) * period_ns,
				       &lowest_ns))) {
		uint64_t skips = (lowest_ns + period_ns / 2) / period_ns - 1;

		if (skips <= counted)
			skips = counted + 1;
		skipped += cnt * (skips - counted);
		counted = skips;
	}
	cnt = distances->count - stat_count_above(distances, period_ns / 2, &lowest_ns);
	return skipped > cnt ? skipped - cnt : 0;
}

static int periods_most_first(const void *a, const void *b)
{
	const struct missed_cause *x = a, *y = b;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	if (x->is_late != y->is_late)
		return x->is_late ? -1 : 1;
	if (x->component != y->component)
		return x->component < y->component ? -1 : 1;
	return (x->blame.tid > y->blame.tid) - (x->blame.tid < y->blame.tid);
}

static void count_causes(struct periods *periods, uint64_t period_ns, struct missed_summary *missed)
{
	uint64_t lowest_ns;

	for (uint32_t i = 0; i < periods->cause_cnt; i++) {
		struct missed_cause *cause = &periods->cause[i].figure;
		double limit = cause->is_late ? PERIOD_LATE : 1;

		cause->count =
			stat_count_above(&periods->cause[i].times, limit * period_ns, &lowest_ns);
		if (cause->count)
			missed->cause[missed->cause_cnt++] = *cause;
	}
	qsort(missed->cause, missed->cause_cnt, sizeof(missed->cause[0]), periods_most_first);
}

void periods__finish(struct periods *periods, struct rounds_summary *summary)
{
	struct missed_summary *missed = &summary->missed;
	uint64_t lowest_ns;

	summary->tick_ns = 0;
	summary->period_ns = period_of(periods);
	summary->efficiency_pct =
		summary->period_ns ? 100 * summary->service_ns / summary->period_ns : 0;
	if (summary->period_ns) {
		missed->late = stat_count_above(&periods->distances,
						PERIOD_LATE * summary->period_ns, &lowest_ns);
		missed->skipped = skipped_periods(&periods->distances, summary->period_ns);
		missed->unfinished =
			stat_count_above(&periods->lasts, summary->period_ns, &lowest_ns);
		count_causes(periods, summary->period_ns, missed);
	}
	summary->distance = periods->distances;
	memset(&periods->distances, 0, sizeof(periods->distances));
}

#define DISTANCES_LEAST 3

/* Somewhat below what counts as late: the period is known at the end only. */
#define MAYBE_LATE 1.25

static int round_starts_compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static uint64_t median_of(const struct round_starts *starts)
{
	uint32_t cnt = starts->cnt < ROUND_STARTS_KEPT ? starts->cnt : ROUND_STARTS_KEPT;
	uint64_t sorted[ROUND_STARTS_KEPT];

	if (cnt < DISTANCES_LEAST)
		return 0;
	memcpy(sorted, starts->distance_ns, cnt * sizeof(sorted[0]));
	qsort(sorted, cnt, sizeof(sorted[0]), round_starts_compare);
	return sorted[cnt / 2];
}

uint64_t round_starts_add(struct round_starts *starts, uint64_t start_ns)
{
	uint64_t distance_ns =
		starts->last_ns && start_ns > starts->last_ns ? start_ns - starts->last_ns : 0;

	starts->last_ns = start_ns;
	if (!distance_ns)
		return 0;
	starts->distance_ns[starts->cnt++ % ROUND_STARTS_KEPT] = distance_ns;
	starts->usual_ns = median_of(starts);
	return distance_ns;
}

void round_starts_forget(struct round_starts *starts)
{
	starts->last_ns = 0;
}

bool round_starts_is_late(const struct round_starts *starts, uint64_t start_ns)
{
	return starts->usual_ns && starts->last_ns &&
	       start_ns > starts->last_ns + MAYBE_LATE * starts->usual_ns;
}

uint64_t round_starts_due(const struct round_starts *starts)
{
	return starts->last_ns + starts->usual_ns;
}
