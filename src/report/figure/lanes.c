/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Chooses the unit that to-scale shows, and the CPUs that it has lanes for. Recordings without what
 * threads did have causes: their time is laid out from when each began.
 */
#include "report/figure/lanes.h"

#include "report/words/explain/explain_words.h"

#define BEFORE_SHARE 0.03 /* of the latency, shown before the unit and behind it */
#define AFTER_SHARE  0.01
#define CPUS_SEEN    64

static const struct explain_episode *episode_of(const struct illustration *illustration,
						uint32_t choice)
{
	const struct explanation *explanation = illustration->explanation;

	if (!explanation || explanation->outcome != EXPLAIN_DONE || !choice ||
	    choice > explanation->episode_cnt || choice >= CHOICES_MAX)
		return NULL;
	return &explanation->episode[choice - 1];
}

static const struct explain_typical *typical_of(const struct illustration *illustration)
{
	const struct explanation *explanation = illustration->explanation;
	bool is_known = explanation && explain_has_rows(explanation->outcome) &&
			explanation->typical.is_known;

	return is_known ? &explanation->typical : NULL;
}

static bool is_same_unit(const struct unit *a, const struct unit *b)
{
	return a->from_ns == b->from_ns && a->to_ns == b->to_ns && a->channel == b->channel &&
	       a->position == b->position;
}

uint32_t to_scale_rank(const struct illustration *illustration, uint32_t choice)
{
	const struct picture *picture = illustration->picture;
	const struct explain_typical *typical = choice ? NULL : typical_of(illustration);
	const struct explain_episode *episode = episode_of(illustration, choice);

	for (uint32_t i = 0; i < picture->slowest_cnt; i++) {
		const struct unit *unit = &picture->slowest[i];

		if (choice ? episode && unit->from_ns >= episode->from_ns &&
				     unit->to_ns <= episode->to_ns
			   : !typical || is_same_unit(unit, &typical->unit))
			return i + 1;
	}
	return 0;
}

bool to_scale_has(const struct illustration *illustration, uint32_t choice)
{
	if (illustration->points || !illustration->picture)
		return false;
	return (!choice && typical_of(illustration)) || to_scale_rank(illustration, choice);
}

/* Components of a message in which its thread runs. */
static uint16_t state_of(uint16_t cost)
{
	switch (cost) {
	case COMPONENT_RUNQUEUE:
	case COMPONENT_BLOCKED:
	case COMPONENT_ROOM:
	case COMPONENT_WAKEUP:
	case COST_STOPPED:
	case COST_UNKNOWN:
		return cost;
	default:
		return COST_ON_CPU;
	}
}

static void make_moments(struct lanes *lanes)
{
	const struct unit *unit = lanes->unit;

	for (uint32_t i = 0; i < unit->cause_cnt && lanes->moment_cnt < LANE_MADE_MAX; i++) {
		const struct cause *cause = &unit->cause[i];
		uint16_t state = state_of(cause->cost);

		if (cause->parent)
			continue;
		lanes->made[lanes->moment_cnt++] = (struct moment){
			.from_ns = cause->from_ns,
			.to_ns = cause->from_ns + cause->by.ns,
			.tid = cause->tid,
			.cpu = state == COMPONENT_RUNQUEUE ? cause->by.cpu : BLAME_CPU_UNKNOWN,
			.cost = state,
			.call = cause->call,
			.role = cause->role,
			.by = cause->by,
		};
	}
	lanes->moment = lanes->made;
}

bool lanes_clip(const struct lanes *lanes, const struct moment *moment, uint64_t *from_ns,
		uint64_t *to_ns)
{
	*from_ns = moment->from_ns > lanes->from_ns ? moment->from_ns : lanes->from_ns;
	*to_ns = moment->to_ns < lanes->to_ns ? moment->to_ns : lanes->to_ns;
	return *from_ns < *to_ns;
}

bool lanes_has_cpu(const struct lanes *lanes, const struct moment *moment)
{
	const struct blame *by = &moment->by;

	if (moment->cpu >= BLAME_CPU_SEVERAL)
		return false;
	if (moment->cost == COST_ON_CPU)
		return true;
	if (moment->cost != COMPONENT_RUNQUEUE || moment->role != CAUSE_RAN)
		return false;
	/* That a thread of the unit ran there is known of itself. */
	return by->kind != SLICE_TASK || !by->tid || lanes->moment == lanes->made ||
	       (by->tid != lanes->unit->sender.tid && by->tid != lanes->unit->receiver.tid);
}

struct cpu_time {
	uint32_t cpu;
	uint64_t ns;
};

static void add_cpu_time(struct cpu_time *time, uint32_t *cnt, uint32_t cpu, uint64_t ns)
{
	for (uint32_t i = 0; i < *cnt; i++) {
		if (time[i].cpu != cpu)
			continue;
		time[i].ns += ns;
		return;
	}
	if (*cnt < CPUS_SEEN)
		time[(*cnt)++] = (struct cpu_time){cpu, ns};
}

/* Those with most time, then sorted by number. */
static void choose_cpus(struct lanes *lanes)
{
	struct cpu_time time[CPUS_SEEN];
	uint32_t cnt = 0;
	uint64_t from_ns, to_ns;

	for (uint32_t i = 0; i < lanes->moment_cnt; i++) {
		if (lanes_has_cpu(lanes, &lanes->moment[i]) &&
		    lanes_clip(lanes, &lanes->moment[i], &from_ns, &to_ns))
			add_cpu_time(time, &cnt, lanes->moment[i].cpu, to_ns - from_ns);
	}
	while (lanes->cpu_cnt < LANE_CPUS_MAX && lanes->cpu_cnt < cnt) {
		uint32_t most = 0, at = lanes->cpu_cnt++;

		for (uint32_t i = 1; i < cnt; i++)
			most = time[i].ns > time[most].ns ? i : most;
		time[most].ns = 0;
		for (; at > 0 && lanes->cpu[at - 1] > time[most].cpu; at--)
			lanes->cpu[at] = lanes->cpu[at - 1];
		lanes->cpu[at] = time[most].cpu;
	}
	lanes->cpus_more = cnt - lanes->cpu_cnt;
}

bool lanes_of(const struct illustration *illustration, uint32_t choice, struct lanes *lanes)
{
	const struct explain_typical *typical = choice ? NULL : typical_of(illustration);
	uint32_t rank = to_scale_rank(illustration, choice);
	uint64_t latency_ns;

	*lanes = (struct lanes){0};
	if (typical) {
		lanes->unit = &typical->unit;
		lanes->moment = typical->moment;
		lanes->moment_cnt = typical->moment_cnt;
	} else if (rank) {
		const struct unit_moments *moments;

		lanes->unit = &illustration->picture->slowest[rank - 1];
		moments = &illustration->picture->slowest_moments[rank - 1];
		lanes->moment = moments->moment;
		lanes->moment_cnt = moments->cnt;
	} else {
		return false;
	}
	latency_ns = unit_latency_ns(lanes->unit);
	lanes->from_ns = lanes->unit->from_ns - (uint64_t)(BEFORE_SHARE * (double)latency_ns);
	if (lanes->from_ns > lanes->unit->from_ns)
		lanes->from_ns = 0;
	lanes->to_ns = lanes->unit->to_ns + (uint64_t)(AFTER_SHARE * (double)latency_ns) + 1;
	if (lanes->to_ns < lanes->unit->to_ns)
		lanes->to_ns = UINT64_MAX;
	if (!lanes->moment_cnt)
		make_moments(lanes);
	choose_cpus(lanes);
	return latency_ns > 0;
}

void to_scale_words(const struct illustration *illustration, uint32_t choice,
		    struct paragraph *words)
{
	struct lanes lanes;
	char at[INSTANT_LEN];
	const char *unit;

	if (!lanes_of(illustration, choice, &lanes))
		return;
	unit = unit_words(lanes.unit->kind, false);
	if (choice)
		paragraph_add(words, "The slowest %s of episode %u", unit, choice);
	else if (typical_of(illustration))
		paragraph_add(words, "The %s most like the mean slow one", unit);
	else
		paragraph_add(words, "The slowest %s", unit);
	instant_words(&illustration->picture->info, lanes.unit->from_ns, at);
	paragraph_add(words, ": %s at %s.", NS_TEXT((double)unit_latency_ns(lanes.unit)), at);
	if (lanes.cpus_more)
		paragraph_add(words, " %u more CPUs are not shown.", lanes.cpus_more);
}
