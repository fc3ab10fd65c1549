/* SPDX-License-Identifier: BSD-2-Clause */
/* What woke a thread, by the instant of its wakeup. */
#include "support/build.h"

#include "analysis/history/deep_events.h"

EACH_TEST_HAS(*state, deep_events__new(), deep_events__free)

static void add(struct deep_events *wakers, uint32_t woken, uint64_t wake_ns, uint32_t tid,
		uint32_t flags, uint32_t number)
{
	struct record_waker record = {
		.head = {.type = RECORD_WAKER,
			 .words = RECORD_WORDS(record),
			 .cpu = 3,
			 .tid = tid,
			 .flags = flags},
		.woken = woken,
		.number = number,
		.at_ns = wake_ns - 5,
		.wake_ns = wake_ns,
	};

	assert_int_equal(deep_events__add(wakers, &record.head), 0);
}

/* The thread of the context that woke it; 0: not known. */
static uint32_t waker_of(struct deep_events *wakers, uint32_t woken, uint64_t wake_ns)
{
	struct waker waker;

	return deep_events__waker(wakers, woken, wake_ns, &waker) ? waker.tid : 0;
}

static struct waker find(struct deep_events *wakers, uint32_t woken, uint64_t wake_ns)
{
	struct waker waker;

	assert_true(deep_events__waker(wakers, woken, wake_ns, &waker));
	return waker;
}

TEST(a_thread_wakes_another)
{
	struct waker waker;

	add(*state, 1, 100, 7, 0, WAKER_NUMBER_NONE);
	waker = find(*state, 1, 100);
	assert_int_equal(waker.kind, SLICE_TASK);
	assert_int_equal(waker.tid, 7);
	assert_int_equal(waker.cpu, 3);
	assert_int_equal(waker.at_ns, 95);
	assert_int_equal(waker.number, WAKER_NUMBER_NONE);
	assert_false(waker.from_interrupt);
	assert_false(waker.is_unsure);
}

TEST(an_interrupt_wakes_while_a_thread_has_nothing_to_do_with_it)
{
	struct waker waker;

	add(*state, 1, 100, 7, WAKER_IRQ, IRQ_OF_CPU + CPU_IRQ_TIMER);
	waker = find(*state, 1, 100);
	assert_int_equal(waker.kind, SLICE_IRQ);
	assert_int_equal(waker.number, IRQ_OF_CPU + CPU_IRQ_TIMER);
	assert_int_equal(waker.tid, 7);
	assert_true(waker.from_interrupt);

	add(*state, 1, 200, 0, WAKER_SOFTIRQ, 3);
	waker = find(*state, 1, 200);
	assert_int_equal(waker.kind, SLICE_SOFTIRQ);
	assert_int_equal(waker.number, 3);
	assert_true(waker.from_interrupt);
}

/* A send over a loopback device delivers its data in a softirq of the sender. */
TEST(a_softirq_of_the_waker_itself_is_no_interrupt)
{
	struct waker waker;

	add(*state, 1, 100, 7, WAKER_OWN_SOFTIRQ, 3);
	waker = find(*state, 1, 100);
	assert_int_equal(waker.kind, SLICE_TASK);
	assert_int_equal(waker.number, 3);
	assert_false(waker.from_interrupt);
}

TEST(what_is_not_sure_says_so)
{
	add(*state, 1, 100, 7, WAKER_UNSURE, WAKER_NUMBER_NONE);
	add(*state, 1, 200, 7, WAKER_SOFTIRQ | WAKER_UNSURE, 3);
	assert_int_equal(find(*state, 1, 100).kind, SLICE_TASK);
	assert_true(find(*state, 1, 100).is_unsure);
	assert_int_equal(find(*state, 1, 200).kind, SLICE_SOFTIRQ);
	assert_true(find(*state, 1, 200).is_unsure);
}

/* A record was lost: the waker of an earlier or later sleep is not taken for it. */
TEST(only_the_very_wakeup_is_found)
{
	add(*state, 1, 100, 7, 0, 0);
	add(*state, 1, 300, 8, 0, 0);
	assert_int_equal(waker_of(*state, 1, 99), 0);
	assert_int_equal(waker_of(*state, 1, 101), 0);
	assert_int_equal(waker_of(*state, 1, 200), 0);
	assert_int_equal(waker_of(*state, 1, 301), 0);
	assert_int_equal(waker_of(*state, 2, 100), 0);
	assert_int_equal(waker_of(*state, 1, 300), 8);
}

TEST(old_wakeups_are_forgotten)
{
	add(*state, 1, 100, 7, 0, 0);
	add(*state, 1, 200, 8, 0, 0);
	deep_events__trim(*state, 200);
	assert_int_equal(waker_of(*state, 1, 100), 0);
	assert_int_equal(waker_of(*state, 1, 200), 8);
	assert_int_equal(deep_events__cnt(*state), 1);
}
