/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Puts the parts of a unit together. The components of calls are those of their own messages,
 * where these are known; else those of all messages stand for them.
 */
#include "insight/whole.h"

#include "insight/metrics.h"

#include <errno.h>
#include <stdlib.h>

static void whole_add(struct whole *whole, enum whole_kind kind, int which, double ns,
		      double service_ns)
{
	if (ns > 0)
		whole->part[whole->cnt++] = (struct whole_part){kind, which, ns, service_ns};
}

/* What messages or servers did may be known for some calls only. */
static void whole_add_unknown(struct whole *whole)
{
	double known_ns = 0, service_ns = stat_mean(&whole->summary->calls.service);

	for (uint32_t i = 0; i < whole->cnt; i++) {
		known_ns += whole->part[i].ns;
		service_ns -= whole->part[i].service_ns;
	}
	/* Means are rounded. */
	if (whole->all_ns - known_ns > 0.5)
		whole_add(whole, WHOLE_UNKNOWN, 0, whole->all_ns - known_ns, service_ns);
}

/*
 * The components of a mean call, without those of its service. They may be of fewer calls: what
 * then lacks is not known.
 */
static void ways_of(const struct summary *summary, double ns[NR_COMPONENTS])
{
	const struct calls_summary *calls = &summary->calls;
	const struct component_sum *sum = &calls->components;
	double ways_ns = stat_mean(&calls->request) + stat_mean(&calls->response), all_ns = 0;

	for (int i = 0; i < NR_COMPONENTS; i++) {
		ns[i] = sum->count ? (double)sum->ns[i] / (double)calls->count
				   : (double)summary->component[i].sum;
		all_ns += ns[i];
	}
	for (int i = 0; !sum->count && all_ns > 0 && i < NR_COMPONENTS; i++)
		ns[i] *= ways_ns / all_ns;
}

/* Services that were cut may also be of calls that do not count. */
static double service_scale(const struct calls_summary *calls)
{
	double cut_ns = service_states_ns(calls), all_ns = (double)calls->service.sum;

	return (cut_ns > all_ns ? all_ns / cut_ns : 1) / (double)calls->service.count;
}

/* `ns` of the `all_ns` that the list is of are waits of these units. */
static void add_blame(struct whole *whole, struct blame_list list, double ns, double all_ns)
{
	for (uint32_t i = 0; i < list.cnt && all_ns > 0; i++) {
		struct blame_summary *one = &whole->blame[whole->blame_cnt++];

		*one = list.blame[i];
		one->total.ns = (uint64_t)((double)one->total.ns * ns / all_ns);
	}
}

static void whole_of_calls(struct whole *whole)
{
	const struct summary *summary = whole->summary;
	const struct calls_summary *calls = &summary->calls;
	double ways_ns[NR_COMPONENTS], scale = service_scale(calls);
	double state_ns[NR_SERVICE_STATES], service_ns[NR_COMPONENTS] = {0};

	ways_of(summary, ways_ns);
	for (int i = 0; i < NR_SERVICE_STATES; i++)
		state_ns[i] = (double)calls->state_ns[i] * scale;
	service_ns[COMPONENT_WAKEUP] = state_ns[SERVICE_WAKEUP];
	service_ns[COMPONENT_RUNQUEUE] = state_ns[SERVICE_RUNQUEUE];
	for (int i = 0; i < NR_COMPONENTS; i++)
		whole_add(whole, WHOLE_COMPONENT, i, ways_ns[i] + service_ns[i], service_ns[i]);
	whole_add(whole, WHOLE_STATE, SERVICE_ON_CPU, state_ns[SERVICE_ON_CPU],
		  state_ns[SERVICE_ON_CPU]);
	whole_add(whole, WHOLE_STATE, SERVICE_BLOCKED, state_ns[SERVICE_BLOCKED],
		  state_ns[SERVICE_BLOCKED]);
	whole_add_unknown(whole);
	add_blame(whole, blame_of_messages(summary),
		  ways_ns[COMPONENT_RUNQUEUE] * (double)calls->count,
		  (double)summary->component[COMPONENT_RUNQUEUE].sum);
	add_blame(whole, blame_of_services(summary),
		  state_ns[SERVICE_RUNQUEUE] * (double)calls->count,
		  (double)calls->state_ns[SERVICE_RUNQUEUE]);
}

static void whole_of_messages(struct whole *whole)
{
	const struct summary *summary = whole->summary;
	double waits_ns = (double)summary->component[COMPONENT_RUNQUEUE].sum;

	for (int i = 0; i < NR_COMPONENTS; i++)
		whole_add(whole, WHOLE_COMPONENT, i, stat_mean(&summary->component[i]), 0);
	add_blame(whole, blame_of_messages(summary), waits_ns, waits_ns);
}

static void whole_of_exchanges(struct whole *whole)
{
	for (int i = 0; i < NR_EXCHANGE_PARTS; i++)
		whole_add(whole, WHOLE_STEP, i, stat_mean(&whole->summary->exchanges.part[i]), 0);
}

/* What the summary is about. */
static enum whole_unit whole_unit_of(const struct focus *focus)
{
	const struct summary *summary = &focus->summary;
	bool has_calls = focus->is_one_of_several || summary_unit(summary) == UNIT_CALL;

	if (exchanges_are_cut(&summary->exchanges))
		return WHOLE_EXCHANGE;
	return has_calls && calls_are_known(&summary->calls) ? WHOLE_CALL : WHOLE_MESSAGE;
}

int whole_of(struct whole *whole, const struct focus *focus)
{
	const struct summary *summary = &focus->summary;

	*whole = (struct whole){.unit = whole_unit_of(focus), .summary = summary};
	whole->stat = whole->unit == WHOLE_EXCHANGE ? &summary->exchanges.latency
		      : whole->unit == WHOLE_CALL   ? &summary->calls.round_trip
						    : &summary->latency;
	whole->all_ns = stat_mean(whole->stat);
	whole->blame =
		calloc(summary->blame_cnt + summary->calls.blame_cnt + 1, sizeof(*whole->blame));
	if (!whole->blame)
		return -ENOMEM;
	if (!summary->info.traced)
		return 0;
	if (whole->unit == WHOLE_EXCHANGE)
		whole_of_exchanges(whole);
	else if (whole->unit == WHOLE_CALL)
		whole_of_calls(whole);
	else
		whole_of_messages(whole);
	return 0;
}

void whole_clean(struct whole *whole)
{
	free(whole->blame);
}

static int whole_largest_first(const void *a, const void *b)
{
	const struct whole_part *const *x = a, *const *y = b;

	if ((*x)->ns != (*y)->ns)
		return (*x)->ns < (*y)->ns ? 1 : -1;
	return (*x > *y) - (*x < *y);
}

void whole_sorted(const struct whole *whole, const struct whole_part *sorted[WHOLE_PARTS_MAX])
{
	for (uint32_t i = 0; i < whole->cnt; i++)
		sorted[i] = &whole->part[i];
	qsort(sorted, whole->cnt, sizeof(sorted[0]), whole_largest_first);
}

const struct whole_part *whole_largest(const struct whole *whole)
{
	const struct whole_part *sorted[WHOLE_PARTS_MAX];

	whole_sorted(whole, sorted);
	return whole->cnt ? sorted[0] : NULL;
}

double whole_share(const struct whole *whole, double ns)
{
	return whole->all_ns > 0 ? ns / (whole->all_ns * (double)whole->stat->count) : 0;
}

struct whole_tail whole_tail(const struct whole *whole)
{
	const struct stat *stat = whole->stat;
	uint64_t limit_ns = TAIL_FACTOR * stat_percentile(stat, 50);
	struct whole_tail tail = {0};
	double usual_ns;
	uint64_t cnt;

	cnt = stat->count ? stat_count_above(stat, limit_ns, &tail.from_ns) : 0;
	if (!cnt)
		return tail;
	tail.units = (double)cnt / (double)stat->count;
	usual_ns = (1 - tail.units) * stat_mean_of_least(stat, 100 * (1 - tail.units));
	tail.ns = usual_ns < whole->all_ns ? 1 - usual_ns / whole->all_ns : 0;
	return tail;
}
