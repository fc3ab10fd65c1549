/* SPDX-License-Identifier: BSD-2-Clause */
/* Explanations made by hand, for the tests of reports. */
#include "support/explained.h"

#include "support/build.h"
#include "support/sample.h"

#include <linux/sched.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SECOND_NS   1000000000ULL
#define BEGIN_NS    (1000 * SECOND_NS)
#define EPISODES    9
#define RT_50       49 /* the kernel's number */
#define FUTEX       202
#define CLOCK_SLEEP 230

static const struct blame hog = {.class = BLAME_TASK,
				 .kind = SLICE_TASK,
				 .tid = 4711,
				 .cpu = 1,
				 .policy = SCHED_RR,
				 .priority = RT_50,
				 .comm = "hog"};
static const struct blame server = {.class = BLAME_SERVER,
				    .kind = SLICE_TASK,
				    .tid = 100,
				    .cpu = 0,
				    .policy = SCHED_RR,
				    .comm = "ipctrace-server"};
static const struct blame worker = {.class = BLAME_TASK,
				    .kind = SLICE_TASK,
				    .tid = 62,
				    .cpu = BLAME_CPU_UNKNOWN,
				    .priority = 120,
				    .comm = "worker"};
static const struct blame net_rx = {
	.class = BLAME_SOFTIRQ, .kind = SLICE_SOFTIRQ, .tid = 3, .cpu = 1, .comm = "net_rx"};
static const struct blame none = {.class = BLAME_UNKNOWN, .cpu = BLAME_CPU_UNKNOWN};

static void *copied(const void *list, size_t size)
{
	void *copy = malloc(size);

	assert_non_null(copy);
	return memcpy(copy, list, size);
}

#define COPIED(list) copied(list, sizeof(list))

static struct explain_row component(enum component cost, double slow_us, double base_us)
{
	return (struct explain_row){.is_component = true,
				    .cost = cost,
				    .call = CALL_UNKNOWN,
				    .by = none,
				    .slow_ns = 1e3 * slow_us,
				    .base_ns = 1e3 * base_us,
				    .slow_units = 50,
				    .base_units = 2500,
				    .slow_episodes = EPISODES,
				    .largest_ns = (uint64_t)(2e3 * slow_us)};
}

static struct explain_row culprit(enum component cost, enum cause_role role, struct blame by,
				  double slow_us, double base_us)
{
	struct explain_row row = component(cost, slow_us, base_us);

	row.is_component = false;
	row.role = role;
	row.by = by;
	return row;
}

static struct explain_row found_in(struct explain_row row, uint64_t slow, uint64_t base)
{
	row.slow_units = slow;
	row.base_units = base;
	return row;
}

static struct explain_row in_part(struct explain_row row, enum cause_part part, uint8_t depth)
{
	row.part = part;
	row.depth = depth;
	return row;
}

static struct explain_row in_call(struct explain_row row, uint16_t call)
{
	row.call = call;
	return row;
}

static void fill_sets(struct explanation *explanation, double slow_us, double base_us)
{
	explanation->units = 5000;
	explanation->slow = (struct explain_set){.select = "slowest 1%",
						 .count = 50,
						 .sum_ns = (uint64_t)(50 * 1e3 * slow_us),
						 .least_ns = 500000,
						 .most_ns = 1200000};
	explanation->base = (struct explain_set){.select = "middle half",
						 .count = 2500,
						 .sum_ns = (uint64_t)(2500 * 1e3 * base_us),
						 .least_ns = 18000,
						 .most_ns = 27000};
	explanation->difference_ns = 1e3 * (slow_us - base_us);
	explanation->p99_ns = 510000;
	explanation->p999_ns = 1100000;
}

static struct explain_episode episode(uint32_t number, enum component cost, struct blame by)
{
	return (struct explain_episode){.from_ns = BEGIN_NS + (number + 1) * SECOND_NS,
					.to_ns = BEGIN_NS + (number + 1) * SECOND_NS + 2100000,
					.units = number ? 5 : 10,
					.rounds = 2,
					.worst_ns = 1200000,
					.excess_ns = 4000000 - number,
					.cost = cost,
					.role = CAUSE_RAN,
					.by = by,
					.cpu = 1};
}

static void add_episodes(struct explanation *explanation, enum component cost)
{
	struct explain_episode list[EPISODES];

	for (uint32_t i = 0; i < EPISODES; i++)
		list[i] = episode(i, cost, hog);
	explanation->episode = COPIED(list);
	explanation->episode_cnt = explanation->episodes = EPISODES;
	explanation->period_ns = SECOND_NS;
	explanation->period_hits = 6;
	explanation->period_of = 9;
}

static void add_rows(struct explanation *explanation)
{
	const struct explain_row list[] = {
		component(COMPONENT_RUNQUEUE, 781, 9.5),
		found_in(culprit(COMPONENT_RUNQUEUE, CAUSE_RAN, hog, 770, 1), 48, 61),
		culprit(COMPONENT_RUNQUEUE, CAUSE_RAN, server, 10, 8.5),
		found_in(culprit(COMPONENT_RUNQUEUE, CAUSE_RAN, net_rx, 1, 0), 5, 0),
		component(COMPONENT_RECEIVE, 20, 1.5),
		culprit(COMPONENT_RECEIVE, CAUSE_ITSELF, none, 2, 1.5),
		found_in(culprit(COMPONENT_RECEIVE, CAUSE_INSIDE, net_rx, 18, 0), 12, 30),
		component(COMPONENT_DISPATCH, 8, 8),
		culprit(COMPONENT_DISPATCH, CAUSE_ITSELF, none, 8, 8),
		component(COMPONENT_SEND_PATH, 3.5, 3.4),
		culprit(COMPONENT_SEND_PATH, CAUSE_ITSELF, none, 3.5, 3.4),
	};

	explanation->row = COPIED(list);
	explanation->row_cnt = ARRAY_SIZE(list);
}

static void add_attributes(struct explanation *explanation)
{
	const struct explain_attribute list[] = {
		{.attribute = ATTRIBUTE_CPU,
		 .value = "1",
		 .slow_cnt = 48,
		 .base_cnt = 1250,
		 .episodes = 9,
		 .slow_share = 0.96,
		 .base_share = 0.5,
		 .ratio = 1.92,
		 .ratio_low = 1.7,
		 .ratio_high = 2.1,
		 .p = 1e-5},
		{.attribute = ATTRIBUTE_SINCE,
		 .value = "1 to 2 s",
		 .slow_cnt = 9,
		 .episodes = 9,
		 .slow_share = 0.9,
		 .ratio = INFINITY,
		 .ratio_low = 40,
		 .ratio_high = INFINITY,
		 .p = 1e-4},
	};

	explanation->attribute = COPIED(list);
	explanation->attribute_cnt = ARRAY_SIZE(list);
	explanation->attributes_looked_at = 41;
}

static struct cause cause(enum component cost, enum cause_role role, uint64_t from_us, uint64_t ns,
			  struct blame by)
{
	by.ns = ns;
	return (struct cause){.cost = cost,
			      .role = role,
			      .call = CALL_UNKNOWN,
			      .tid = 103,
			      .from_ns = BEGIN_NS + SECOND_NS + 1000 * from_us,
			      .by = by};
}

static void add_typical(struct explanation *explanation)
{
	const struct cause causes[] = {
		cause(COMPONENT_DISPATCH, CAUSE_ITSELF, 0, 8100, none),
		cause(COMPONENT_SEND_PATH, CAUSE_ITSELF, 8, 3400, none),
		cause(COMPONENT_RUNQUEUE, CAUSE_RAN, 11, 790012, hog),
		cause(COMPONENT_RUNQUEUE, CAUSE_RAN, 801, 9000, server),
		cause(COMPONENT_RECEIVE, CAUSE_ITSELF, 810, 1988, none),
	};
	const struct moment moments[] = {
		{.from_ns = BEGIN_NS + SECOND_NS - 900000,
		 .to_ns = BEGIN_NS + SECOND_NS + 11000,
		 .tid = 103,
		 .cpu = 1,
		 .cost = COMPONENT_BLOCKED,
		 .role = CAUSE_WOKE,
		 .call = 45,
		 .by = server},
		{.from_ns = BEGIN_NS + SECOND_NS + 11000,
		 .to_ns = BEGIN_NS + SECOND_NS + 810000,
		 .tid = 103,
		 .cpu = 1,
		 .cost = COMPONENT_RUNQUEUE,
		 .role = CAUSE_RAN,
		 .call = CALL_UNKNOWN,
		 .by = hog},
	};

	explanation->typical = (struct explain_typical){
		.is_known = true,
		.unit = {.kind = UNIT_MESSAGE,
			 .from_ns = BEGIN_NS + SECOND_NS,
			 .to_ns = BEGIN_NS + SECOND_NS + 812500,
			 .channel = 17,
			 .transport = TRANSPORT_UDS,
			 .position = 4211,
			 .bytes = 64,
			 .receives = 1,
			 .path = PATH_SLEPT,
			 .sender = {.tid = 100, .cpu = 0, .comm = "ipctrace-server"},
			 .receiver = {.tid = 103, .cpu = 1, .comm = "ipctrace-cl-3"},
			 .sender_pid = 100,
			 .has_round = true,
			 .round = 321,
			 .client = 3,
			 .place = 5,
			 .cause = COPIED(causes),
			 .cause_cnt = ARRAY_SIZE(causes)},
		.moment = COPIED(moments),
		.moment_cnt = ARRAY_SIZE(moments),
	};
}

static void drop(void *explanation)
{
	explanation_clean(explanation);
	free(explanation);
}

static struct explanation *explanation_of(const struct explanation *begun)
{
	struct explanation *explanation = drop_after(calloc(1, sizeof(*explanation)), drop);

	*explanation = *begun;
	return explanation;
}

struct explanation *explained_push(void)
{
	struct explanation *explanation =
		explanation_of(&(struct explanation){.info = sample_info(5), .unit = UNIT_MESSAGE});

	explanation->info.begin = (struct begin){.unix_ns = 1795674281 * SECOND_NS, .ns = BEGIN_NS};
	fill_sets(explanation, 812.5, 22.4);
	add_rows(explanation);
	add_attributes(explanation);
	add_episodes(explanation, COMPONENT_RUNQUEUE);
	add_typical(explanation);
	explanation->without[0] =
		(struct explain_without){.row = 1, .p99_ns = 60000, .p999_ns = 90000};
	explanation->without[1] =
		(struct explain_without){.row = 6, .p99_ns = 500000, .p999_ns = 1080000};
	explanation->without_cnt = 2;
	explanation->own_ns = 2000;
	explanation->own_share = 2000 / explanation->difference_ns;
	explanation->ambiguous = 3;
	explanation->not_cut = 2;
	return explanation;
}

static void add_lock_rows(struct explanation *explanation)
{
	const struct explain_row list[] = {
		in_part(component(COMPONENT_BLOCKED, 2000, 10), PART_SERVICE, 0),
		in_part(in_call(culprit(COMPONENT_BLOCKED, CAUSE_WOKE, worker, 1990, 0), FUTEX),
			PART_SERVICE, 0),
		in_part(culprit(COMPONENT_RUNQUEUE, CAUSE_RAN, hog, 1900, 0), PART_SERVICE, 1),
		in_part(culprit(COST_ON_CPU, CAUSE_ITSELF, none, 90, 0), PART_SERVICE, 1),
		in_part(in_call(culprit(COMPONENT_BLOCKED, CAUSE_ITSELF, none, 10, 10),
				CLOCK_SLEEP),
			PART_SERVICE, 0),
		in_part(component(COST_ON_CPU, 30, 20), PART_SERVICE, 0),
		in_part(culprit(COST_ON_CPU, CAUSE_ITSELF, none, 30, 20), PART_SERVICE, 0),
		in_part(component(COMPONENT_RUNQUEUE, 20, 20), PART_REQUEST, 0),
		in_part(culprit(COMPONENT_RUNQUEUE, CAUSE_UNKNOWN, none, 20, 20), PART_REQUEST, 0),
	};

	explanation->row = COPIED(list);
	explanation->row_cnt = ARRAY_SIZE(list);
}

struct explanation *explained_lock(void)
{
	struct explanation *explanation =
		explanation_of(&(struct explanation){.info = sample_info(1), .unit = UNIT_CALL});

	explanation->info.mode = MODE_ATTACH;
	fill_sets(explanation, 2050, 50);
	add_lock_rows(explanation);
	explanation->attributes_looked_at = 12;
	add_episodes(explanation, COMPONENT_BLOCKED);
	explanation->period_ns = 0;
	return explanation;
}

struct explanation *explained_nothing(enum explain_outcome outcome)
{
	struct explanation *explanation = explanation_of(&(struct explanation){
		.info = sample_info(5), .outcome = outcome, .unit = UNIT_ROUND, .units = 7});

	snprintf(explanation->slow.select, SELECT_TEXT_LEN, "slower than 1s");
	return explanation;
}

struct explanation *explained_message(void)
{
	struct explanation *explanation = explained_push();

	explanation->slow.count = 1;
	explanation->slow.sum_ns = 812500;
	snprintf(explanation->slow.select, SELECT_TEXT_LEN, "message 17/4211");
	for (uint32_t i = 0; i < explanation->row_cnt; i++)
		explanation->row[i].slow_units = 1;
	return explanation;
}

char *explained_show(const char *format, struct report_style style,
		     const struct explanation *explanation)
{
	const struct report_format *writer = report_format_find(format);
	struct report *report;
	char *text = NULL;
	size_t size;

	style.out = open_memstream(&text, &size);
	assert_non_null(style.out);
	report = writer->begin(&style);
	assert_non_null(report);
	assert_int_equal(writer->explanation(report, explanation), 0);
	assert_int_equal(writer->end(report, false), 0);
	assert_int_equal(fclose(style.out), 0);
	return drop_after(text, free);
}
