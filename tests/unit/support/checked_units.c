/* SPDX-License-Identifier: BSD-2-Clause */
#include "support/checked_units.h"

#include "model/blocked_calls.h"

/* FNV-1a. */
static uint64_t hash_with(uint64_t hash, uint64_t value)
{
	return (hash ^ value) * 1099511628211ULL;
}

static void check_order(const struct unit *unit)
{
	bool has_parts = unit->kind == UNIT_CALL || unit->kind == UNIT_CONNECTION;

	for (uint32_t i = 0; i < unit->cause_cnt; i++) {
		const struct cause *cause = &unit->cause[i];

		assert_true(cause->by.ns > 0);
		assert_true(cause->part < NR_CAUSE_PARTS);
		assert_int_equal(cause->part == PART_WHOLE, !has_parts);
		assert_true(cause->cost < NR_COSTS);
		assert_true(cause->role < NR_CAUSE_ROLES);
		assert_true(cause->parent <= i);
		if (i)
			assert_true(cause->from_ns >= unit->cause[i - 1].from_ns);
		assert_in_range(cause->from_ns, unit->from_ns, unit->to_ns);
		if (cause->role == CAUSE_ITSELF || cause->role == CAUSE_UNKNOWN)
			assert_int_equal(cause->by.tid, 0);
	}
}

static void check_followed(const struct unit *unit)
{
	uint64_t below_ns[CAUSES_MAX] = {0};
	uint32_t depth[CAUSES_MAX] = {0};

	for (uint32_t i = 0; i < unit->cause_cnt; i++) {
		const struct cause *cause = &unit->cause[i];

		if (!cause->parent)
			continue;
		assert_int_equal(cause->part, unit->cause[cause->parent - 1].part);
		below_ns[cause->parent - 1] += cause->by.ns;
		depth[i] = depth[cause->parent - 1] + 1;
		assert_true(depth[i] <= CAUSE_DEPTH_MAX);
	}
	for (uint32_t i = 0; i < unit->cause_cnt; i++)
		assert_true(below_ns[i] <= unit->cause[i].by.ns);
}

static void add_cost(const struct unit *unit, uint64_t ns[NR_COSTS])
{
	for (uint32_t i = 0; i < unit->cause_cnt; i++) {
		if (!unit->cause[i].parent)
			ns[unit->cause[i].cost] += unit->cause[i].by.ns;
	}
}

/* In a round of an attach, `dispatch` is before the latency of the message. */
static void check_components(const struct unit *unit, const struct message *message)
{
	uint64_t ns[NR_COSTS] = {0};

	add_cost(unit, ns);
	for (int i = 0; i < NR_COMPONENTS; i++) {
		if (i != COMPONENT_DISPATCH || message->has_stamp)
			assert_int_equal(ns[i], message->component_ns[i]);
	}
}

static uint64_t blamed_ns(const struct unit *unit, const struct blame *blame)
{
	bool is_unknown = blame->class == BLAME_UNKNOWN;
	uint64_t ns = 0;

	for (uint32_t i = 0; i < unit->cause_cnt; i++) {
		const struct cause *cause = &unit->cause[i];

		if (cause->parent || cause->cost != COMPONENT_RUNQUEUE)
			continue;
		if (is_unknown ? cause->role == CAUSE_UNKNOWN
			       : cause->by.class == blame->class && cause->by.kind == blame->kind &&
					 cause->by.tid == blame->tid && cause->role == CAUSE_RAN)
			ns += cause->by.ns;
	}
	return ns;
}

static void check_blame(const struct unit *unit, const struct message *message)
{
	for (uint32_t i = 0; i < message->blame_cnt; i++)
		assert_int_equal(blamed_ns(unit, &message->blame[i]), message->blame[i].ns);
}

static int on_message(void *ctx, const struct message *message)
{
	struct checked_units *units = ctx;

	units->messages++;
	units->message = *message;
	units->has_message = true;
	if (units->kind != UNIT_MESSAGE)
		return 0;
	check_components(message->unit, message);
	check_blame(message->unit, message);
	return 0;
}

/* Which thread receives from a channel is known when it has received something. */
static bool may_come_late(const struct cause *cause)
{
	return cause->cost == COMPONENT_DISPATCH && !cause->parent &&
	       (cause->role == CAUSE_KEPT || cause->role == CAUSE_ITSELF);
}

static void add_up(struct checked_units *units, const struct unit *unit)
{
	uint64_t ns[NR_COSTS] = {0};
	uint64_t late_ns = 0,
		 hash = hash_with(hash_with(14695981039346656037ULL, unit->from_ns), unit->to_ns);

	add_cost(unit, ns);
	assert_int_equal(sum_of(ns, NR_COSTS), unit_latency_ns(unit));
	units->units++;
	units->causes += unit->cause_cnt;
	for (uint32_t i = 0; i < unit->cause_cnt; i++) {
		const struct cause *cause = &unit->cause[i];

		units->followed += cause->parent > 0;
		if (!cause->parent)
			units->role_ns[cause->role] += cause->by.ns;
		if (may_come_late(cause)) {
			late_ns += cause->by.ns;
			continue;
		}
		hash = hash_with(hash, cause->cost | cause->role << 8 | cause->parent << 16);
		hash = hash_with(hash, cause->by.ns);
		hash = hash_with(hash, cause->by.tid);
	}
	units->hash += hash_with(hash, late_ns);
	for (int i = 0; i < NR_COSTS; i++)
		units->ns[i] += ns[i];
}

#define MOMENTS_MAX 64

/* In the order of time, around the unit; those of one thread do not overlap. */
static void check_moments(struct checked_units *units, const struct unit *unit)
{
	static struct moment moment[MOMENTS_MAX];
	uint32_t cnt = analysis__moments(units->analysis, unit, moment,
					 units->units % 2 ? MOMENTS_MAX : 7);

	units->moments += cnt;
	assert_true(cnt <= MOMENTS_MAX);
	for (uint32_t i = 0; i < cnt; i++) {
		assert_true(moment[i].from_ns < moment[i].to_ns);
		assert_true(moment[i].to_ns <= unit->to_ns);
		assert_true(moment[i].from_ns + MOMENTS_BEFORE_NS >= unit->from_ns);
		assert_int_equal(moment[i].by.ns, moment[i].to_ns - moment[i].from_ns);
		assert_true(!i || moment[i].from_ns >= moment[i - 1].from_ns);
		for (uint32_t j = 0; j < i; j++)
			assert_true(moment[j].tid != moment[i].tid ||
				    moment[j].to_ns <= moment[i].from_ns);
	}
}

static int on_unit(void *ctx, const struct unit *unit)
{
	struct checked_units *units = ctx;

	assert_int_equal(unit->kind, units->kind);
	check_order(unit);
	check_followed(unit);
	add_up(units, unit);
	check_moments(units, unit);
	if (unit->kind != UNIT_MESSAGE)
		return 0;
	assert_true(units->has_message); /* its message comes first */
	assert_int_equal(unit->to_ns, units->message.has_stamp ? units->message.user_ns
							       : units->message.recv_ns);
	assert_int_equal(unit_latency_ns(unit), units->message.latency_ns);
	units->has_message = false;
	return 0;
}

struct analysis *check_units_begin(struct checked_units *units, const struct run_info *info,
				   enum unit_kind kind)
{
	const struct analysis_request request = {.ctx = units,
						 .on_message = on_message,
						 .has_units = true,
						 .kind = kind,
						 .on_unit = on_unit,
						 .has_causes = true};
	struct analysis *analysis;

	*units = (struct checked_units){.kind = kind};
	analysis = analysis__new(info, &request);
	assert_non_null(analysis);
	units->analysis = analysis;
	return analysis;
}

void check_units_end(struct checked_units *units, struct analysis *analysis)
{
	const struct summary *summary;

	assert_int_equal(analysis__finish(analysis), 0);
	summary = analysis__summary(analysis);
	if (units->kind == UNIT_MESSAGE && summary->info.traced)
		assert_int_equal(units->units, units->messages);
	if (units->kind == UNIT_ROUND && summary->info.traced)
		assert_int_equal(units->units, summary->rounds.complete);
	if (units->kind == UNIT_CALL)
		assert_int_equal(units->units,
				 summary->calls.count + summary->calls.open_several.count);
	analysis__free(analysis);
}

struct checked_units check_units(const struct run_info *info, const struct tape *tape,
				 enum unit_kind kind)
{
	struct checked_units units;
	struct analysis *analysis = check_units_begin(&units, info, kind);

	for (size_t i = 0; i < tape->cnt; i++)
		assert_int_equal(analysis__record(analysis, tape->record[i]), 0);
	check_units_end(&units, analysis);
	return units;
}
