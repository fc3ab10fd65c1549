/* SPDX-License-Identifier: BSD-2-Clause */
/* Which stack belongs to which cause of a unit. */
#include "support/build.h"
#include "support/stacks.h"

#include "analysis/causes/unit_stacks.h"

enum { SLEEPER = 7, HOG = 8, LOCK = 1, SPIN, WORK };

static int passed;

static int note(void *ctx, const struct unit *unit)
{
	passed++;
	return -5;
}

static int make(void **state)
{
	static struct unit_stacks stacks;
	const struct record_stack records[] = {
		make_stack(STACK_BLOCKED, SLEEPER, LOCK, 100, 200),
		make_stack(STACK_LEFT, HOG, SPIN, 200, 300),
		make_stack(STACK_RAN, SLEEPER, WORK, 300, 350),
	};

	stacks = (struct unit_stacks){.on_unit = note};
	for (size_t i = 0; i < ARRAY_SIZE(records); i++)
		assert_int_equal(unit_stacks_add(&stacks, &records[i].head), 0);
	passed = 0;
	*state = &stacks;
	return 0;
}

static int drop(void **state)
{
	unit_stacks_clean(*state);
	return 0;
}

EACH_TEST(make, drop)

/* The stack of a single cause of a unit that ends at 400. */
static uint32_t stack_of(struct unit_stacks *stacks, struct cause cause)
{
	const struct unit unit = {.from_ns = 50, .to_ns = 400, .cause = &cause, .cause_cnt = 1};

	assert_int_equal(unit_stacks_put(stacks, &unit), -5);
	return cause.stack;
}

static struct cause made(enum component cost, enum cause_role role, uint64_t from_ns, uint64_t ns)
{
	return (struct cause){.cost = cost,
			      .role = role,
			      .tid = SLEEPER,
			      .from_ns = from_ns,
			      .by = {.kind = SLICE_TASK, .tid = HOG, .cpu = 0, .ns = ns}};
}

TEST(a_sleep_has_the_stack_of_the_sleeper)
{
	assert_int_equal(stack_of(*state, made(COMPONENT_BLOCKED, CAUSE_WOKE, 100, 100)), LOCK);
	assert_int_equal(stack_of(*state, made(COMPONENT_ROOM, CAUSE_READER, 120, 80)), LOCK);
	assert_int_equal(stack_of(*state, made(COMPONENT_BLOCKED, CAUSE_UNKNOWN, 210, 50)), 0);
	assert_int_equal(passed, 3);
}

TEST(a_wait_for_a_cpu_has_the_stack_of_the_culprit)
{
	struct cause elsewhere = made(COMPONENT_RUNQUEUE, CAUSE_RAN, 200, 10);
	struct cause interrupt = elsewhere;

	assert_int_equal(stack_of(*state, made(COMPONENT_RUNQUEUE, CAUSE_RAN, 200, 10)), SPIN);
	elsewhere.by.cpu = 3;
	assert_int_equal(stack_of(*state, elsewhere), 0);
	elsewhere.by.cpu = BLAME_CPU_SEVERAL;
	assert_int_equal(stack_of(*state, elsewhere), SPIN);
	interrupt.by.kind = SLICE_IRQ;
	assert_int_equal(stack_of(*state, interrupt), 0);
	assert_int_equal(stack_of(*state, made(COMPONENT_RUNQUEUE, CAUSE_UNKNOWN, 200, 10)), 0);
}

TEST(own_work_has_the_stack_of_the_thread)
{
	assert_int_equal(stack_of(*state, made(COST_ON_CPU, CAUSE_ITSELF, 300, 60)), WORK);
	assert_int_equal(stack_of(*state, made(COMPONENT_BUSY, CAUSE_KEPT, 300, 60)), WORK);
	assert_int_equal(stack_of(*state, made(COST_ON_CPU, CAUSE_ITSELF, 300, 40)), 0);
	assert_int_equal(stack_of(*state, made(COST_ON_CPU, CAUSE_INSIDE, 300, 60)), 0);
	assert_int_equal(stack_of(*state, made(COMPONENT_WAKEUP, CAUSE_ITSELF, 300, 60)), 0);
}

TEST(without_records_units_pass_as_they_are)
{
	struct unit_stacks none = {.on_unit = note};
	const struct record_send send = make_send(1, 1, 0, 1, 2);

	assert_int_equal(unit_stacks_add(&none, &send.head), 0);
	unit_stacks_trim(&none, 1000);
	assert_int_equal(stack_of(&none, made(COMPONENT_BLOCKED, CAUSE_WOKE, 100, 100)), 0);
	assert_int_equal(passed, 1);
	unit_stacks_clean(&none);
}
