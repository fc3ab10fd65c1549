/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A member pauses before the journals or the ring buffer are full, or if the driver is overdue, so
 * that no record is lost. It goes on after a drain, and its pauses are counted.
 */
#include "support/build.h"

#include "util/clock.h"
#include "util/shared_memory.h"
#include "workload/member/links.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#define CAPACITY  64
#define NOTES     3 /* of one exchange */
#define EXCHANGES 5000
#define BYTES     100 /* of one exchange in the ring */
#define RING_SIZE 65536

/* One client's link, without any transport, and a ring that this test writes and reads. */
struct exchange {
	struct plan plan;
	struct pattern pattern;
	struct transport_ops transport;
	struct shared *shared;
	struct worker worker;
	struct link link;
	struct links links;
	unsigned long read;
	unsigned long written;
	uint64_t wanted;
	_Atomic uint64_t exchanges;
	uint64_t paused_ns;
	bool is_server;
	int err;
};

static void exchange_open(struct exchange *exchange, uint64_t journal, uint64_t serving)
{
	struct shared_plan plan = {.clients = 1, .journal = journal, .serving = serving};

	memset(exchange, 0, sizeof(*exchange));
	exchange->shared = shared_new(&plan);
	assert_non_null(exchange->shared);
	exchange->plan = (struct plan){.notes = NOTES,
				       .spec.clients = 1,
				       .pattern = &exchange->pattern,
				       .transport = &exchange->transport};
	exchange->worker =
		(struct worker){.plan = &exchange->plan, .shared = exchange->shared, .number = 1};
	exchange->link.client = 1;
	exchange->link.journal = &exchange->shared->slots[1].journal;
	exchange->links = (struct links){
		.worker = &exchange->worker, .link = &exchange->link, .links_cnt = 1};
	exchange->wanted = EXCHANGES;
}

static void ring_open(struct exchange *exchange)
{
	exchange->plan.ring = (struct ring_gauge){
		.read = &exchange->read, .written = &exchange->written, .size = RING_SIZE};
	exchange->plan.ring_bytes = BYTES;
	/* The journals are no limit. */
	exchange->pattern.oneway = true;
}

/* The most that both sides record about one exchange. */
static void exchange_note(struct exchange *exchange)
{
	struct slot *slot = &exchange->shared->slots[1];
	const union journal_entry entry = {
		.tick.head = {.type = RECORD_TICK, .words = RECORD_WORDS(struct record_tick)}};

	for (int i = 0; i < NOTES && !exchange->pattern.oneway; i++) {
		journal_write(&slot->journal, &entry);
		if (slot->serving.capacity)
			journal_write(&slot->serving, &entry);
	}
	__atomic_fetch_add(&exchange->written, BYTES, __ATOMIC_RELEASE);
	exchange->exchanges++;
}

static void *exchanges_run(void *arg)
{
	struct exchange *exchange = arg;

	while (exchange->exchanges < exchange->wanted && !exchange->err) {
		exchange->err =
			exchange->is_server
				? record_room_await_round(&exchange->links, &exchange->paused_ns)
				: record_room_await(&exchange->links, &exchange->link,
						    &exchange->paused_ns);
		if (!exchange->err)
			exchange_note(exchange);
	}
	return NULL;
}

static pthread_t exchanges_begin(struct exchange *exchange)
{
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, exchanges_run, exchange), 0);
	return thread;
}

static int take(void *ctx, const struct record *record)
{
	(void)record;
	++*(uint64_t *)ctx;
	return 0;
}

static void drained(struct exchange *exchange)
{
	exchange->read = __atomic_load_n(&exchange->written, __ATOMIC_ACQUIRE);
	atomic_fetch_add(&exchange->shared->drained, 1);
	futex_wake(&exchange->shared->drained);
}

static void await_pause(const struct exchange *exchange)
{
	while (!atomic_load(&exchange->shared->pausing))
		nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
}

static const struct slot *slot_of(const struct exchange *exchange)
{
	return &exchange->shared->slots[exchange->worker.number];
}

static void drain_now_and_then(struct exchange *exchange, pthread_t thread)
{
	struct slot *slot = &exchange->shared->slots[1];
	uint64_t mine = 0, served = 0;
	unsigned int turn = 0;

	while (mine < EXCHANGES * NOTES) {
		nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
		journal_drain(&slot->journal, take, &mine);
		/* The server's journal is emptied half as often. */
		if (turn++ % 2)
			journal_drain(&slot->serving, take, &served);
		drained(exchange);
	}
	pthread_join(thread, NULL);
	journal_drain(&slot->serving, take, &served);
	assert_int_equal(served, slot->serving.capacity ? mine : 0);
}

static void check_journals(uint64_t serving)
{
	struct exchange exchange;

	exchange_open(&exchange, CAPACITY, serving);
	drain_now_and_then(&exchange, exchanges_begin(&exchange));
	assert_int_equal(exchange.err, 0);
	assert_int_equal(journal_lost(&exchange.shared->slots[1].journal), 0);
	assert_int_equal(journal_lost(&exchange.shared->slots[1].serving), 0);
	shared_free(exchange.shared);
}

TEST(a_writer_that_waits_for_room_loses_nothing)
{
	check_journals(0);
}

TEST(nor_does_the_server_that_notes_as_much)
{
	check_journals(CAPACITY);
}

TEST(a_stop_ends_the_wait)
{
	struct exchange exchange;

	exchange_open(&exchange, CAPACITY, 0);
	shared_stop(exchange.shared);
	exchanges_run(&exchange); /* the journals are not drained */
	assert_int_equal(exchange.err, -EINTR);
	assert_true(exchange.exchanges > 0);
	assert_int_equal(journal_lost(&exchange.shared->slots[1].journal), 0);
	shared_free(exchange.shared);
}

/* Three quarters are left for what is under way, and for the records of other threads. */
TEST(a_quarter_of_the_ring_is_for_exchanges)
{
	const uint64_t between = RING_SIZE / 4 / BYTES; /* exchanges */
	struct exchange exchange;
	pthread_t thread;

	exchange_open(&exchange, CAPACITY, 0);
	ring_open(&exchange);
	thread = exchanges_begin(&exchange);
	for (uint64_t pauses = 1; pauses <= EXCHANGES / (between + 1); pauses++) {
		await_pause(&exchange);
		/* Not before it has to, and not later. */
		assert_in_range(exchange.written - exchange.read, between * BYTES,
				(between + 1) * BYTES);
		drained(&exchange);
		while (slot_of(&exchange)->pauses < pauses)
			nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
	}
	pthread_join(thread, NULL);
	assert_int_equal(exchange.err, 0);
	assert_int_equal(exchange.exchanges, EXCHANGES);
	assert_int_equal(slot_of(&exchange)->pauses, EXCHANGES / (between + 1));
	assert_true(slot_of(&exchange)->paused_ns > 0);
	shared_free(exchange.shared);
}

/* Each of 10,000 clients must be able to begin, and a ring that is full already stops all. */
TEST(no_client_waits_for_ever)
{
	struct exchange exchange;

	exchange_open(&exchange, CAPACITY, 0);
	ring_open(&exchange);
	exchange.plan.spec.clients = 10000;
	assert_int_equal(record_room_await(&exchange.links, &exchange.link, &exchange.paused_ns),
			 0);
	assert_int_equal(exchange.link.allowance, 0);
	exchange.written = RING_SIZE / 4;
	shared_stop(exchange.shared);
	assert_int_equal(record_room_await(&exchange.links, &exchange.link, &exchange.paused_ns),
			 -EINTR);
	shared_free(exchange.shared);
}

TEST(an_overdue_driver_is_waited_for)
{
	struct exchange exchange;
	pthread_t thread;

	exchange_open(&exchange, CAPACITY, 0);
	exchange.wanted = 1;
	exchange.shared->drain_due_ns = clock_now_ns() - 1;
	thread = exchanges_begin(&exchange);
	await_pause(&exchange);
	assert_int_equal(exchange.exchanges, 0);
	exchange.shared->drain_due_ns = clock_now_ns() + 3600 * NSEC_PER_SEC;
	drained(&exchange);
	pthread_join(thread, NULL);
	assert_int_equal(exchange.exchanges, 1);
	assert_int_equal(slot_of(&exchange)->pauses, 1);
	assert_int_equal(exchange.shared->pausing, 0);
	shared_free(exchange.shared);
}

/* The records of a round are those of all clients, and its pause moves the ticks. */
TEST(a_round_waits_for_every_journal)
{
	struct exchange exchange;
	pthread_t thread;
	uint64_t taken = 0;

	exchange_open(&exchange, CAPACITY, 0);
	exchange.worker.number = 0;
	exchange.is_server = true;
	exchange.wanted = CAPACITY;
	thread = exchanges_begin(&exchange);
	await_pause(&exchange);
	assert_in_range(exchange.exchanges, 1, CAPACITY / NOTES);
	while (exchange.exchanges < exchange.wanted) {
		journal_drain(&exchange.shared->slots[1].journal, take, &taken);
		drained(&exchange);
	}
	pthread_join(thread, NULL);
	assert_int_equal(journal_lost(&exchange.shared->slots[1].journal), 0);
	assert_int_equal(exchange.paused_ns, slot_of(&exchange)->paused_ns);
	assert_true(exchange.paused_ns > 0);
	shared_free(exchange.shared);
}
