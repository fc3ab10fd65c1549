/* SPDX-License-Identifier: BSD-2-Clause */
/* Journals keep the order, and count what does not fit. */
#include "support/build.h"

#include "workload/member/journal.h"

#include <stdlib.h>

#define CAPACITY 64

static int journal_open(void **state)
{
	static struct journal journal;

	journal_init(&journal, calloc(1, journal_size(CAPACITY)), CAPACITY);
	*state = &journal;
	return journal.entries ? 0 : -1;
}

static int journal_close(void **state)
{
	free(((struct journal *)*state)->entries);
	return 0;
}

EACH_TEST(journal_open, journal_close)

static void write_numbers(struct journal *journal, uint64_t from, uint64_t to)
{
	union journal_entry entry = {
		.tick.head = {.type = RECORD_TICK, .words = RECORD_WORDS(struct record_tick)}};

	for (; from < to; from++) {
		entry.tick.round = from;
		journal_write(journal, &entry);
	}
}

/* Expects numbers in order, and stops the drain before `stop`. */
struct taker {
	uint64_t next;
	uint64_t stop;
};

static int take_number(void *ctx, const struct record *record)
{
	struct taker *taker = ctx;

	assert_int_equal(record->type, RECORD_TICK);
	assert_int_equal(((const struct record_tick *)record)->round, taker->next);
	taker->next++;
	return taker->next == taker->stop ? -1 : 0;
}

TEST(entries_come_in_order_and_make_room)
{
	struct journal *journal = *state;
	struct taker taker = {.stop = UINT64_MAX};

	assert_int_equal(journal_room(journal), CAPACITY);
	for (uint64_t n = 0; n < 1000; n += 50) {
		write_numbers(journal, n, n + 50);
		assert_int_equal(journal_room(journal), CAPACITY - 50);
		assert_int_equal(journal_drain(journal, take_number, &taker), 0);
		assert_int_equal(taker.next, n + 50);
		assert_int_equal(journal_room(journal), CAPACITY);
	}
	assert_int_equal(journal_lost(journal), 0);
}

TEST(what_does_not_fit_is_counted)
{
	struct journal *journal = *state;
	struct taker taker = {.stop = UINT64_MAX};

	write_numbers(journal, 0, CAPACITY + 10);
	assert_int_equal(journal_room(journal), 0);
	assert_int_equal(journal_lost(journal), 10);
	assert_int_equal(journal_drain(journal, take_number, &taker), 0);
	assert_int_equal(taker.next, CAPACITY);
}

TEST(a_drain_that_breaks_off_goes_on_later)
{
	struct journal *journal = *state;
	struct taker taker = {.stop = 5};

	write_numbers(journal, 0, 20);
	assert_int_equal(journal_drain(journal, take_number, &taker), -1);
	assert_int_equal(journal_room(journal), CAPACITY - 15);
	assert_int_equal(journal_drain(journal, take_number, &taker), 0);
	assert_int_equal(taker.next, 20);
}
