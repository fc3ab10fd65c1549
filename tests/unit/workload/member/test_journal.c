/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Journals keep the order, count what does not fit, and lose nothing of a writer that waits for
 * room.
 */
#include "support/build.h"

#include "util/futex.h"
#include "workload/member/links.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CAPACITY 64
#define NOTES    3 /* of one exchange */

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

static void entries_come_in_order_and_make_room(void **state)
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

static void what_does_not_fit_is_counted(void **state)
{
	struct journal *journal = *state;
	struct taker taker = {.stop = UINT64_MAX};

	write_numbers(journal, 0, CAPACITY + 10);
	assert_int_equal(journal_room(journal), 0);
	assert_int_equal(journal_lost(journal), 10);
	assert_int_equal(journal_drain(journal, take_number, &taker), 0);
	assert_int_equal(taker.next, CAPACITY);
}

static void a_drain_that_breaks_off_goes_on_later(void **state)
{
	struct journal *journal = *state;
	struct taker taker = {.stop = 5};

	write_numbers(journal, 0, 20);
	assert_int_equal(journal_drain(journal, take_number, &taker), -1);
	assert_int_equal(journal_room(journal), CAPACITY - 15);
	assert_int_equal(journal_drain(journal, take_number, &taker), 0);
	assert_int_equal(taker.next, 20);
}

/* One client's link, without any transport. */
struct exchange {
	struct plan plan;
	struct shared *shared;
	struct worker worker;
	struct link link;
	struct links links;
	uint64_t exchanges;
	int err;
};

static void exchange_open(struct exchange *exchange, uint64_t serving)
{
	struct shared_plan plan = {.clients = 1, .journal = CAPACITY, .serving = serving};

	memset(exchange, 0, sizeof(*exchange));
	exchange->shared = shared_new(&plan);
	assert_non_null(exchange->shared);
	exchange->plan.notes = NOTES;
	exchange->worker =
		(struct worker){.plan = &exchange->plan, .shared = exchange->shared, .number = 1};
	exchange->link.client = 1;
	exchange->link.journal = &exchange->shared->slots[1].journal;
	exchange->links = (struct links){
		.worker = &exchange->worker, .link = &exchange->link, .links_cnt = 1};
}

/* The most that both sides record about one exchange. */
static void exchange_note(struct exchange *exchange)
{
	struct slot *slot = &exchange->shared->slots[1];
	uint64_t first = exchange->exchanges++ * NOTES;

	write_numbers(&slot->journal, first, first + NOTES);
	if (slot->serving.capacity)
		write_numbers(&slot->serving, first, first + NOTES);
}

static void *exchanges_run(void *arg)
{
	struct exchange *exchange = arg;

	while (exchange->exchanges < 5000 && !exchange->err) {
		exchange->err = links_reserve(&exchange->links, &exchange->link);
		if (!exchange->err)
			exchange_note(exchange);
	}
	return NULL;
}

static void drain_now_and_then(struct exchange *exchange, pthread_t thread)
{
	struct taker mine = {.stop = UINT64_MAX}, served = {.stop = UINT64_MAX};
	struct slot *slot = &exchange->shared->slots[1];
	unsigned int turn = 0;

	while (mine.next < 5000 * NOTES) {
		nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
		journal_drain(&slot->journal, take_number, &mine);
		/* The server's journal is emptied half as often. */
		if (turn++ % 2)
			journal_drain(&slot->serving, take_number, &served);
		atomic_fetch_add(&exchange->shared->drained, 1);
		futex_wake(&exchange->shared->drained);
	}
	pthread_join(thread, NULL);
	journal_drain(&slot->serving, take_number, &served);
	assert_int_equal(served.next, slot->serving.capacity ? mine.next : 0);
}

static void check_waiting(uint64_t serving)
{
	struct exchange exchange;
	pthread_t thread;

	exchange_open(&exchange, serving);
	assert_int_equal(pthread_create(&thread, NULL, exchanges_run, &exchange), 0);
	drain_now_and_then(&exchange, thread);
	assert_int_equal(exchange.err, 0);
	assert_int_equal(journal_lost(&exchange.shared->slots[1].journal), 0);
	assert_int_equal(journal_lost(&exchange.shared->slots[1].serving), 0);
	shared_free(exchange.shared);
}

static void a_writer_that_waits_for_room_loses_nothing(void **state)
{
	check_waiting(0);
}

static void nor_does_the_server_that_notes_as_much(void **state)
{
	check_waiting(CAPACITY);
}

static void a_stop_ends_the_wait(void **state)
{
	struct exchange exchange;

	exchange_open(&exchange, 0);
	shared_stop(exchange.shared);
	exchanges_run(&exchange); /* the journals are not drained */
	assert_int_equal(exchange.err, -EINTR);
	assert_true(exchange.exchanges > 0);
	assert_int_equal(journal_lost(&exchange.shared->slots[1].journal), 0);
	shared_free(exchange.shared);
}

#define JOURNAL(test) cmocka_unit_test_setup_teardown(test, journal_open, journal_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		JOURNAL(entries_come_in_order_and_make_room),
		JOURNAL(what_does_not_fit_is_counted),
		JOURNAL(a_drain_that_breaks_off_goes_on_later),
		cmocka_unit_test(a_writer_that_waits_for_room_loses_nothing),
		cmocka_unit_test(nor_does_the_server_that_notes_as_much),
		cmocka_unit_test(a_stop_ends_the_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
