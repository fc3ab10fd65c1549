/* SPDX-License-Identifier: BSD-2-Clause */
/* In every pattern, no exchange or round begins while the ring of the kernel's records is full. */
#include "support/build.h"
#include "support/workload_run.h"

#include "util/clock.h"
#include "util/shared_memory.h"
#include "workload/state.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define RING_SIZE 65536
#define BYTES     100 /* of a message */

/* The members map it, too. */
struct positions {
	unsigned long read;
	unsigned long written;
};

static struct workload *begin(const struct workload_spec *spec, const struct positions *positions)
{
	const struct ring_gauge gauge = {
		.read = &positions->read, .written = &positions->written, .size = RING_SIZE};
	struct workload *workload = workload__new(spec);

	assert_non_null(workload);
	workload__share_ring(workload, &gauge, BYTES);
	assert_int_equal(workload__spawn(workload), 0);
	assert_int_equal(workload__start(workload), 0);
	return workload;
}

static void await(struct workload *workload, bool pauses)
{
	while (workload__running(workload) && workload__pauses(workload) != pauses)
		nanosleep(&(struct timespec){.tv_nsec = PERIOD_NS}, NULL);
}

static void finish_with_room(struct outcome *outcome, struct workload *workload,
			     struct positions *positions)
{
	__atomic_store_n(&positions->read, positions->written, __ATOMIC_RELEASE);
	while (workload__running(workload)) {
		workload_drain(outcome, workload);
		nanosleep(&(struct timespec){.tv_nsec = PERIOD_NS}, NULL);
	}
	workload_finish(outcome, workload);
	munmap(positions, sizeof(*positions));
}

static void check_member(const struct outcome *outcome, const char *pattern)
{
	uint32_t first = strcmp(pattern, "push") ? 1 : 0, last = first ? CLIENTS : 0;
	bool is_one = false;

	for (uint32_t i = first; i <= last; i++)
		is_one |= outcome->role[i].head.tid == outcome->pauses.head.tid;
	assert_true(is_one);
}

static void check_pattern(const char *pattern)
{
	struct positions *positions = shared_memory_map(sizeof(*positions));
	struct outcome outcome = workload_outcome_of("uds-stream", pattern);
	struct workload *workload;

	assert_non_null(positions);
	positions->written = RING_SIZE / 4;
	workload = begin(&outcome.spec, positions);
	await(workload, true);
	assert_true(workload__running(workload));
	assert_int_equal(workload__rounds(workload), 0);
	/* Nothing is read: they wait on. */
	workload_drain(&outcome, workload);
	await(workload, true);
	assert_int_equal(workload__rounds(workload), 0);
	finish_with_room(&outcome, workload, positions);
	assert_int_equal(outcome.lost, 0);
	assert_int_equal(outcome.pauses.head.type, RECORD_PAUSES);
	assert_in_range(outcome.pauses.count, 1, outcome.spec.warmup + outcome.spec.messages);
	assert_true(outcome.pauses.ns > 0);
	check_member(&outcome, pattern);
}

TEST(no_exchange_begins)
{
	check_pattern("pingpong");
	check_pattern("request");
}

TEST(no_connection_begins)
{
	check_pattern("connect");
}

TEST(no_message_of_a_flood_is_sent)
{
	check_pattern("flood");
}

TEST(no_round_begins)
{
	check_pattern("push");
}

/*
 *	begin            all pause                        room again        due
 *	|--- begins ---|--|----------- they pause ----------|----- periods --|
 *	               the last exchange is due at least that much later
 */
static void check_due(const char *pattern)
{
	struct positions *positions = shared_memory_map(sizeof(*positions));
	struct outcome outcome = workload_outcome_of("uds-stream", pattern);
	uint64_t begin_ns = clock_now_ns(), all_pause_ns, room_ns;
	struct workload *workload;

	assert_non_null(positions);
	outcome.spec.period_ns = PERIOD_NS;
	positions->written = RING_SIZE / 4;
	workload = begin(&outcome.spec, positions);
	await(workload, true);
	all_pause_ns = clock_now_ns();
	while (clock_now_ns() - all_pause_ns < 2 * (all_pause_ns - begin_ns))
		nanosleep(&(struct timespec){.tv_nsec = PERIOD_NS}, NULL);
	room_ns = clock_now_ns();
	finish_with_room(&outcome, workload, positions);
	for (uint32_t client = 1; client <= CLIENTS; client++)
		assert_true(outcome.last[client][0].due_ns >=
			    begin_ns + ROUNDS * PERIOD_NS + room_ns - all_pause_ns);
}

TEST(what_is_due_later_moves_by_a_pause)
{
	check_due("pingpong");
	check_due("request");
	check_due("connect");
}

/* The driver takes all CPU time that it needs while they pause: the message would wait for it. */
TEST(no_member_pauses_while_a_message_is_under_way)
{
	struct positions *positions = shared_memory_map(sizeof(*positions));
	struct outcome outcome = workload_outcome_of("uds-stream", "pingpong");
	struct workload *workload;
	_Atomic uint64_t *sent;
	uint64_t before;

	assert_non_null(positions);
	positions->written = RING_SIZE / 4;
	workload = begin(&outcome.spec, positions);
	await(workload, true);
	sent = &workload->shared->slots[1].direction[TO_SERVER].sent;
	before = atomic_fetch_add(sent, 1);
	workload->shared->pause_ns = clock_now_ns() + 3600 * NSEC_PER_SEC;
	assert_false(workload__pauses(workload));
	/* It was not received for long: it is lost. */
	workload->shared->pause_ns = clock_now_ns() - NSEC_PER_SEC;
	assert_true(workload__pauses(workload));
	atomic_store(sent, before);
	workload->shared->pause_ns = clock_now_ns() + 3600 * NSEC_PER_SEC;
	assert_true(workload__pauses(workload));
	finish_with_room(&outcome, workload, positions);
}

/* The driver would take the others for members that pause. */
TEST(a_member_that_is_killed_pauses_no_more)
{
	struct positions *positions = shared_memory_map(sizeof(*positions));
	struct outcome outcome = workload_outcome_of("uds-stream", "pingpong");
	struct workload *workload;

	assert_non_null(positions);
	positions->written = RING_SIZE / 4;
	workload = begin(&outcome.spec, positions);
	await(workload, true);
	assert_int_equal(kill(workload__pid(workload, 1), SIGKILL), 0);
	while (workload__running(workload) && !workload->members[1].ended)
		nanosleep(&(struct timespec){.tv_nsec = PERIOD_NS}, NULL);
	assert_int_equal(workload->shared->pausing, CLIENTS - 1);
	finish_with_room(&outcome, workload, positions);
}

TEST(without_a_full_ring_there_is_no_pause)
{
	struct outcome outcome = workload_outcome_of("uds", "pingpong");

	workload_run(&outcome);
	assert_int_equal(outcome.pauses.head.type, RECORD_PAUSES);
	assert_int_equal(outcome.pauses.count, 0);
	assert_int_equal(outcome.pauses.ns, 0);
	assert_int_equal(outcome.pauses.head.tid, 0);
}
