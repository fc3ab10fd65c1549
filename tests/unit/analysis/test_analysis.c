/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whole runs by hand. Round r of client c, where `base` is 100000 * (r + 1) + 10000 * c:
 *
 *	-5000  -4000  |  base    +100    +200   +250    +400   +450      +1000   +1100
 *	enter  sleep  |  stamp   send   queued  wake   switch   run       recv    user
 *	              |    |dispatch|s.path|wakeup|runqueue|switch|receive|return|
 *	                    100      100     50     150      50     550     100
 * Thread 500 runs on CPU 0 while the client waits.
 */
#include "support/build.h"

#include "analysis/breakdown/breakdown.h"
#include "analysis/join/join.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { SERVER = 100, TASK = 500, KTHREAD = 600 };

static struct tape tape;
static struct run_info info;
static struct hearing heard;

static int setup(void **state)
{
	(void)state;
	memset(&info, 0, sizeof(info));
	info.traced = info.shows_switch = true;
	info.workload.clients = 2;
	strcpy(info.workload.pattern, "push");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	hearing_free(&heard);
	tape_free(&tape);
	return 0;
}

static uint64_t base_of(uint64_t round, uint32_t client)
{
	return 100000 * (round + 1) + 10000 * client;
}

static uint32_t tid_of(uint32_t client)
{
	return SERVER + client;
}

static void put_roles(void)
{
	put_role(&tape, SERVER, ROLE_SERVER, 0);
	put_role(&tape, tid_of(1), ROLE_CLIENT, 1);
	put_role(&tape, tid_of(2), ROLE_CLIENT, 2);
}

static void put_whole_send(uint64_t round, uint32_t client)
{
	uint64_t base = base_of(round, client);

	put_send(&tape, SERVER, client, round, base + 100, base + 200);
}

static void put_whole_receive(uint64_t round, uint32_t client)
{
	uint64_t base = base_of(round, client);

	put_receive(&tape, tid_of(client), client, round, base - 5000, base + 1000, 4 * round,
		    CHANGES(SLEEP(base - 4000, 0), WAKE(base + 250, 0), SWITCH(base + 400, 0),
			    RUN(base + 450, 0)));
}

static void put_whole_stamp(uint64_t round, uint32_t client)
{
	uint64_t base = base_of(round, client);

	put_stamp(&tape, client, round, base, base + 1100);
}

static void put_whole_slice(uint64_t round, uint32_t client)
{
	put_slice(&tape, make_task(0, 2 * round + client - 1, TASK, base_of(round, client) + 400));
}

static void put_message(uint64_t round, uint32_t client)
{
	put_whole_slice(round, client);
	put_whole_send(round, client);
	put_whole_receive(round, client);
	put_whole_stamp(round, client);
}

static void put_round(uint64_t round)
{
	put_tick(&tape, round, base_of(round, 1), 2);
	put_message(round, 1);
	put_message(round, 2);
}

static const struct summary *play(void)
{
	heard = hear(&info, &tape);
	return heard.summary;
}

static void assert_integrity(uint64_t sent, uint64_t matched)
{
	const struct integrity *integrity = &heard.summary->integrity;

	assert_int_equal(integrity->sent, sent);
	assert_int_equal(integrity->matched, matched);
	assert_int_equal(heard.cnt, matched);
	assert_int_equal(accounted(integrity), sent);
	assert_int_equal(integrity->residual_ns_max, 0);
}

/* All `incomplete` ones have this reason. */
static void assert_incomplete(enum incomplete reason, uint64_t cnt)
{
	const struct integrity *integrity = &heard.summary->integrity;

	assert_int_equal(integrity->incomplete[reason], cnt);
	assert_int_equal(sum_of(integrity->incomplete, NR_INCOMPLETES), cnt);
}

static uint64_t blame_sum(const struct message *message)
{
	uint64_t sum_ns = 0;

	for (uint32_t i = 0; i < message->blame_cnt; i++)
		sum_ns += message->blame[i].ns;
	return sum_ns;
}

static void assert_blame(const struct message *message, enum blame_class class, uint32_t tid,
			 uint64_t ns)
{
	uint64_t found_ns = 0;

	for (uint32_t i = 0; i < message->blame_cnt; i++) {
		if (message->blame[i].class == class && message->blame[i].tid == tid)
			found_ns += message->blame[i].ns;
	}
	assert_int_equal(found_ns, ns);
	assert_int_equal(blame_sum(message), message->component_ns[COMPONENT_RUNQUEUE]);
}

static void assert_components(const struct message *message, const uint64_t ns[NR_COMPONENTS])
{
	for (int i = 0; i < NR_COMPONENTS; i++)
		assert_int_equal(message->component_ns[i], ns[i]);
	assert_int_equal(sum_of(message->component_ns, NR_COMPONENTS), message->latency_ns);
}

static const uint64_t whole[NR_COMPONENTS] = {
	[COMPONENT_DISPATCH] = 100, [COMPONENT_SEND_PATH] = 100, [COMPONENT_WAKEUP] = 50,
	[COMPONENT_RUNQUEUE] = 150, [COMPONENT_SWITCH] = 50,     [COMPONENT_RECEIVE] = 550,
	[COMPONENT_RETURN] = 100,
};

static void a_message_with_all_its_records_is_matched(void **state)
{
	const struct message *message;

	(void)state;
	put_roles();
	put_round(0);
	play();
	assert_integrity(2, 2);
	message = &heard.message[1];
	assert_components(message, whole);
	assert_blame(message, BLAME_TASK, TASK, 150);
	assert_int_equal(message->client, 2);
	assert_int_equal(message->round, 0);
	assert_int_equal(message->channel, 2);
	assert_int_equal(message->position, 0);
	assert_int_equal(message->bytes, 64);
	assert_int_equal(message->path, PATH_SLEPT);
	assert_int_equal(message->queued_ns, base_of(0, 2) + 200);
	assert_int_equal(message->latency_ns, 1100);
	assert_string_equal(message->sender.comm, "server");
	assert_string_equal(message->receiver.comm, "client-2");
	assert_int_equal(message->receiver.tid, tid_of(2));
}

static void the_summary_has_every_matched_message(void **state)
{
	const struct summary *summary;

	(void)state;
	put_roles();
	put_round(0);
	put_round(1);
	summary = play();
	assert_integrity(4, 4);
	assert_int_equal(summary->path[PATH_SLEPT], 4);
	assert_int_equal(summary->latency.count, 4);
	assert_int_equal(summary->latency.sum, 4400);
	for (int i = 0; i < NR_COMPONENTS; i++)
		assert_int_equal(summary->component[i].sum, 4 * whole[i]);
	assert_int_equal(summary->client_cnt, 2);
	assert_int_equal(summary->client[1].client, 2);
	assert_int_equal(summary->client[1].tid, tid_of(2));
	assert_string_equal(summary->client[1].comm, "client-2");
	assert_int_equal(summary->client[1].latency.count, 2);
	assert_int_equal(sum_of(summary->client[1].components.ns, NR_COMPONENTS), 2200);
	assert_int_equal(summary->blame_cnt, 1);
	assert_int_equal(summary->blame[0].who.ns, 600);
	assert_int_equal(summary->blame[0].messages, 4);
	assert_true(summary->duration_s > 0.000109 && summary->duration_s < 0.000111);
	assert_int_equal(summary->rounds.complete, 2);
}

/* A run of three rounds; of round 1, client 1 loses what `which` says. */
enum { LOSE_SEND = 1, LOSE_RECEIVE = 2, LOSE_STAMP = 4 };

static void play_with_loss(unsigned int which)
{
	put_roles();
	put_round(0);
	put_tick(&tape, 1, base_of(1, 1), 2);
	put_whole_slice(1, 1);
	if (!(which & LOSE_SEND))
		put_whole_send(1, 1);
	if (!(which & LOSE_RECEIVE))
		put_whole_receive(1, 1);
	if (!(which & LOSE_STAMP))
		put_whole_stamp(1, 1);
	put_message(1, 2);
	put_round(2);
	play();
	assert_integrity(6, 5);
	assert_int_equal(heard.summary->rounds.count, 3);
	assert_int_equal(heard.summary->rounds.complete, 2);
}

static void a_message_without_its_send_is_no_send(void **state)
{
	(void)state;
	play_with_loss(LOSE_SEND);
	assert_incomplete(INCOMPLETE_NO_SEND, 1);
}

static void a_message_without_its_receive_is_not_received(void **state)
{
	(void)state;
	play_with_loss(LOSE_RECEIVE);
	assert_incomplete(INCOMPLETE_NOT_RECEIVED, 1);
}

static void a_message_without_its_stamp_is_no_stamp(void **state)
{
	(void)state;
	play_with_loss(LOSE_STAMP);
	assert_incomplete(INCOMPLETE_NO_STAMP, 1);
}

static void a_message_without_any_record_is_not_recorded(void **state)
{
	(void)state;
	play_with_loss(LOSE_SEND | LOSE_RECEIVE);
	assert_incomplete(INCOMPLETE_NOT_RECORDED, 1);
	hearing_free(&heard);
	tape_free(&tape);
	play_with_loss(LOSE_SEND | LOSE_RECEIVE | LOSE_STAMP);
	assert_incomplete(INCOMPLETE_NOT_RECORDED, 1);
}

/* The server's own log was full: round 1 has no TICK, but its messages have all their records. */
static void sent_counts_messages_whose_tick_was_lost(void **state)
{
	(void)state;
	put_roles();
	put_round(0);
	put_message(1, 1);
	put_message(1, 2);
	play();
	assert_int_equal(heard.summary->rounds.complete, 1);
	assert_integrity(4, 4);
}

static void a_stamp_of_another_round_is_a_mismatch(void **state)
{
	struct record_stamp stamp = make_stamp(1, 7, base_of(0, 1), base_of(0, 1) + 1100);

	(void)state;
	stamp.index = 0;
	put_roles();
	put_tick(&tape, 0, base_of(0, 1), 2);
	put_whole_send(0, 1);
	put_whole_receive(0, 1);
	tape_add(&tape, &stamp);
	put_message(0, 2);
	play();
	assert_integrity(2, 1);
	assert_incomplete(INCOMPLETE_STAMP, 1);
}

static void warm_up_is_in_no_figure(void **state)
{
	const struct summary *summary;

	(void)state;
	info.workload.warmup = 2;
	put_roles();
	for (uint64_t round = 0; round < 3; round++)
		put_round(round);
	summary = play();
	assert_integrity(2, 2);
	assert_int_equal(heard.message[0].round, 0);
	assert_int_equal(heard.message[0].stamp_ns, base_of(2, 1));
	assert_int_equal(summary->latency.count, 2);
	assert_int_equal(summary->component[COMPONENT_SWITCH].count, 2);
	assert_int_equal(sum_of(summary->path, NR_PATHS), 2);
	assert_int_equal(summary->rounds.count, 1);
	assert_int_equal(summary->tick.lateness.count, 1);
	assert_int_equal(summary->client[0].latency.count, 1);
	assert_int_equal(summary->client[0].position_cnt, 1);
	assert_int_equal(summary->blame[0].who.ns, 300);
	assert_true(summary->duration_s < 0.000011);
}

static void what_is_incomplete_in_the_warm_up_is_not_counted(void **state)
{
	(void)state;
	info.workload.warmup = 3;
	put_roles();
	put_tick(&tape, 0, base_of(0, 1), 2);
	put_whole_send(0, 1);
	put_whole_receive(0, 2);
	put_tick(&tape, 1, base_of(1, 1), 2);
	put_whole_send(1, 1);
	put_whole_receive(1, 1); /* no stamp */
	put_whole_stamp(2, 2);
	put_round(3);
	play();
	assert_integrity(2, 2);
	assert_incomplete(INCOMPLETE_NOT_RECEIVED, 0);
}

/* Open and close messages, from clients to the server's other thread; also half ones. */
static void control_messages_are_ignored(void **state)
{
	(void)state;
	put_roles();
	put_send(&tape, tid_of(1), 50, 0, 1000, 1100);
	put_receive(&tape, 99, 50, 0, 900, 1200, 0, CHANGES(SLEEP(950, 1), WAKE(1150, 1)));
	put_send(&tape, tid_of(2), 51, 0, 1000, 1100);
	put_receive(&tape, 99, 52, 0, 900, 1200, 2, NO_CHANGES);
	put_receive(&tape, SERVER, 53, 0, 900, 1200, 0, NO_CHANGES);
	put_send(&tape, tid_of(1), 54, 0, 1000, 1100); /* and one between two clients */
	put_receive(&tape, tid_of(2), 54, 0, 900, 1200, 0, NO_CHANGES);
	put_round(0);
	play();
	assert_integrity(2, 2);
	assert_incomplete(INCOMPLETE_NOT_RECEIVED, 0);
}

/*
 * The receiver ran on another CPU, took the message and was back before its sender said `queued`:
 * it was there at the latest when the call returned.
 */
static void check_seen_before_queued(bool receive_first)
{
	const struct message *message;
	uint64_t base = base_of(0, 1);

	put_roles();
	put_tick(&tape, 0, base, 1);
	if (!receive_first)
		put_send(&tape, SERVER, 1, 0, base + 100, base + 900);
	put_receive(&tape, tid_of(1), 1, 0, base + 200, base + 800, 0, NO_CHANGES);
	if (receive_first)
		put_send(&tape, SERVER, 1, 0, base + 100, base + 900);
	put_stamp(&tape, 1, 0, base, base + 1000);
	play();
	assert_integrity(1, 1);
	message = &heard.message[0];
	assert_int_equal(message->queued_ns, base + 800);
	assert_int_equal(message->path, PATH_RUNNING);
	assert_components(message, (uint64_t[NR_COMPONENTS]){[COMPONENT_DISPATCH] = 100,
							     [COMPONENT_SEND_PATH] = 700,
							     [COMPONENT_RETURN] = 200});
}

static void a_receive_may_be_seen_before_queued(void **state)
{
	check_seen_before_queued(false);
	teardown(state);
	check_seen_before_queued(true);
}

static void a_receive_before_the_send_is_out_of_order(void **state)
{
	uint64_t base = base_of(0, 1);

	(void)state;
	put_roles();
	put_tick(&tape, 0, base, 1);
	put_send(&tape, SERVER, 1, 0, base + 900, base + 950);
	put_receive(&tape, tid_of(1), 1, 0, base + 200, base + 800, 0, NO_CHANGES);
	put_stamp(&tape, 1, 0, base, base + 1000);
	play();
	assert_integrity(1, 0);
	assert_incomplete(INCOMPLETE_ORDER, 1);
}

/*
 *	enter  sleep   queued 0   wake  switch run   queued 1          recv of both
 *	-5000  -4000    +200      +250   +400  +450    +600              +1000
 */
static void two_messages_of_one_receive_call_have_their_own_anatomy(void **state)
{
	uint64_t base = base_of(0, 1);

	(void)state;
	put_roles();
	put_tick(&tape, 0, base, 1);
	put_tick(&tape, 1, base + 450, 1);
	put_whole_slice(0, 1);
	put_whole_send(0, 1);
	put_send(&tape, SERVER, 1, 1, base + 500, base + 600);
	put_receive(&tape, tid_of(1), 1, 1, base - 5000, base + 1000, 4, NO_CHANGES);
	put_whole_receive(0, 1);
	put_whole_stamp(0, 1);
	put_stamp(&tape, 1, 1, base + 450, base + 1100);
	play();
	assert_integrity(2, 2);
	assert_components(&heard.message[0], whole);
	assert_int_equal(heard.message[1].path, PATH_RUNNING);
	assert_components(&heard.message[1], (uint64_t[NR_COMPONENTS]){[COMPONENT_DISPATCH] = 50,
								       [COMPONENT_SEND_PATH] = 100,
								       [COMPONENT_RECEIVE] = 400,
								       [COMPONENT_RETURN] = 100});
}

/*
 *	enter 1  sleep   queued 1  queued 2  wake  switch  run     exit 1   enter 2   exit 2
 *	 -5000   -4000     +200      +220    +250   +400   +450     +500     +600     +1000
 * The record of the sleep is a CHANGES record, that of call 1 may be lost: that leaves a gap in the
 * numbering of the changes.
 */
static void play_two_calls(bool lost)
{
	uint64_t base = base_of(0, 1);

	put_roles();
	put_tick(&tape, 0, base, 1);
	put_tick(&tape, 1, base, 1);
	put_whole_slice(0, 1);
	put_whole_send(0, 1);
	put_whole_stamp(0, 1);
	put_send(&tape, SERVER, 1, 1, base + 210, base + 220);
	put_changes(&tape, tid_of(1), base + 450, 0,
		    CHANGES(SLEEP(base - 4000, 0), WAKE(base + 250, 0), SWITCH(base + 400, 0),
			    RUN(base + 450, 0)));
	if (!lost)
		put_receive(&tape, tid_of(1), 1, 0, base - 5000, base + 500, 4, NO_CHANGES);
	put_receive(&tape, tid_of(1), 1, 1, base + 600, base + 1000, lost ? 5 : 4, NO_CHANGES);
	put_stamp(&tape, 1, 1, base, base + 1100);
	play();
}

static void a_message_queued_during_the_sleep_for_an_earlier_one_slept_too(void **state)
{
	const uint64_t second[NR_COMPONENTS] = {
		[COMPONENT_DISPATCH] = 210, [COMPONENT_SEND_PATH] = 10, [COMPONENT_WAKEUP] = 30,
		[COMPONENT_RUNQUEUE] = 150, [COMPONENT_SWITCH] = 50,    [COMPONENT_BUSY] = 150,
		[COMPONENT_RECEIVE] = 400,  [COMPONENT_RETURN] = 100,
	};

	(void)state;
	play_two_calls(false);
	assert_integrity(2, 2);
	assert_int_equal(heard.message[1].path, PATH_SLEPT);
	assert_components(&heard.message[1], second);
}

/* Nobody knows then that the client slept in a receive call: better no figure than a wrong one. */
static void without_the_record_of_its_call_a_sleep_is_not_called_blocked(void **state)
{
	(void)state;
	play_two_calls(true);
	assert_integrity(2, 0);
	assert_int_equal(heard.summary->integrity.incomplete[INCOMPLETE_NOT_RECEIVED], 1);
	assert_int_equal(heard.summary->integrity.incomplete[INCOMPLETE_HISTORY], 1);
}

/* WAKE on CPU 1 at +250, where 600 runs; MIGRATE to 0 at +340, where 500 runs until +400. */
static void blame_goes_to_both_cpus_of_a_migration(void **state)
{
	uint64_t base = base_of(0, 1);

	(void)state;
	put_roles();
	put_tick(&tape, 0, base, 1);
	put_whole_send(0, 1);
	put_whole_stamp(0, 1);
	put_slice(&tape, make_task(1, 0, KTHREAD, base + 340));
	put_slice(&tape, make_task(0, 0, TASK, base + 400));
	put_receive(&tape, tid_of(1), 1, 0, base - 5000, base + 1000, 0,
		    CHANGES(SLEEP(base - 4000, 0), WAKE(base + 250, 1), MIGRATE(base + 340, 0),
			    SWITCH(base + 400, 0), RUN(base + 450, 0)));
	play();
	assert_integrity(1, 1);
	assert_components(&heard.message[0], whole);
	assert_blame(&heard.message[0], BLAME_TASK, KTHREAD, 90);
	assert_blame(&heard.message[0], BLAME_TASK, TASK, 60);
}

/* The server, the other client and a kernel thread, each 50 ns. */
static void culprits_are_classed_by_their_part_in_the_run(void **state)
{
	struct record_name name = make_name(SLICE_TASK, KTHREAD, 0, "kworker/0:1");
	uint64_t base = base_of(0, 1);

	(void)state;
	name.flags = NAME_KTHREAD;
	put_tick(&tape, 0, base, 1);
	put_whole_send(0, 1);
	put_whole_receive(0, 1);
	put_whole_stamp(0, 1);
	put_slice(&tape, make_task(0, 0, SERVER, base + 300));
	put_slice(&tape, make_task(0, 1, tid_of(2), base + 350));
	put_slice(&tape, make_task(0, 2, KTHREAD, base + 400));
	tape_add(&tape, &name);
	put_roles();
	play();
	assert_integrity(1, 1);
	assert_blame(&heard.message[0], BLAME_SERVER, SERVER, 50);
	assert_blame(&heard.message[0], BLAME_CLIENT, tid_of(2), 50);
	assert_blame(&heard.message[0], BLAME_KTHREAD, KTHREAD, 50);
}

/* Of the slices that end at +300, +350 and +400 the middle one is lost: 100 ns are unknown. */
static void a_lost_slice_makes_its_time_unknown(void **state)
{
	uint64_t base = base_of(0, 1);

	(void)state;
	put_roles();
	put_tick(&tape, 0, base, 1);
	put_whole_send(0, 1);
	put_whole_receive(0, 1);
	put_whole_stamp(0, 1);
	put_slice(&tape, make_task(0, 0, TASK, base + 300));
	put_slice(&tape, make_task(0, 2, KTHREAD, base + 400));
	play();
	assert_integrity(1, 1);
	assert_components(&heard.message[0], whole);
	assert_blame(&heard.message[0], BLAME_TASK, TASK, 50);
	assert_blame(&heard.message[0], BLAME_UNKNOWN, 0, 100);
}

static void interrupts_are_carved_out_of_the_tasks_blame(void **state)
{
	uint64_t base = base_of(0, 1);

	(void)state;
	put_roles();
	put_tick(&tape, 0, base, 1);
	put_whole_send(0, 1);
	put_whole_receive(0, 1);
	put_whole_stamp(0, 1);
	put_slice(&tape, make_irq(0, 0, 5, base + 310, base + 320));
	put_slice(&tape, make_softirq(0, 1, 3, base + 300, base + 330));
	put_slice(&tape, make_task(0, 2, TASK, base + 400));
	play();
	assert_integrity(1, 1);
	assert_blame(&heard.message[0], BLAME_IRQ, 5, 10);
	assert_blame(&heard.message[0], BLAME_SOFTIRQ, 3, 20);
	assert_blame(&heard.message[0], BLAME_TASK, TASK, 120);
}

/* The same without the record of the interrupt: nobody is said to have run in its place. */
static void a_lost_interrupt_makes_its_tasks_time_unknown(void **state)
{
	uint64_t base = base_of(0, 1);

	(void)state;
	put_roles();
	put_tick(&tape, 0, base, 1);
	put_whole_send(0, 1);
	put_whole_receive(0, 1);
	put_whole_stamp(0, 1);
	put_slice(&tape, make_task(0, 0, KTHREAD, base + 300));
	put_slice(&tape, make_softirq(0, 1, 3, base + 330, base + 340));
	put_slice(&tape, make_task(0, 3, TASK, base + 400));
	play();
	assert_integrity(1, 1);
	assert_blame(&heard.message[0], BLAME_TASK, KTHREAD, 50);
	assert_blame(&heard.message[0], BLAME_SOFTIRQ, 3, 10);
	assert_blame(&heard.message[0], BLAME_TASK, TASK, 0);
	assert_blame(&heard.message[0], BLAME_UNKNOWN, 0, 90);
}

/*
 * Thread id 500 was "old" long ago and is "new" now, which is announced when its slice ends. An
 * interrupt cuts the slice: what ran before it was "new", too.
 */
static void a_slice_has_one_name_also_when_an_interrupt_cuts_it(void **state)
{
	struct record_name old = make_name(SLICE_TASK, TASK, 10, "old");
	struct record_name new = make_name(SLICE_TASK, TASK, base_of(0, 1) + 400, "new");
	uint64_t base = base_of(0, 1);

	(void)state;
	put_roles();
	tape_add(&tape, &old);
	put_tick(&tape, 0, base, 1);
	put_slice(&tape, make_irq(0, 0, 5, base + 310, base + 320));
	tape_add(&tape, &new);
	put_slice(&tape, make_task(0, 1, TASK, base + 400));
	put_whole_send(0, 1);
	put_whole_receive(0, 1);
	put_whole_stamp(0, 1);
	play();
	assert_blame(&heard.message[0], BLAME_TASK, TASK, 140);
	assert_string_equal(heard.message[0].blame[0].comm, "new");
}

/* 600 slices of 600 threads in each of two segments, on two CPUs. */
static void the_blame_of_very_many_culprits_adds_up(void **state)
{
	uint64_t base = base_of(0, 1);

	(void)state;
	put_roles();
	put_tick(&tape, 0, base, 1);
	put_send(&tape, SERVER, 1, 0, base + 100, base + 200);
	for (uint32_t i = 0; i < 1500; i++) {
		put_slice(&tape, make_task(0, i, 1000 + i, base + 1001 + i));
		put_slice(&tape, make_task(1, i, 5000 + i, base + 4001 + i));
	}
	put_receive(&tape, tid_of(1), 1, 0, base - 5000, base + 7000, 0,
		    CHANGES(SLEEP(base - 4000, 0), WAKE(base + 1000, 0), MIGRATE(base + 2500, 1),
			    SWITCH(base + 5500, 1), RUN(base + 5600, 1)));
	put_stamp(&tape, 1, 0, base, base + 8000);
	play();
	assert_integrity(1, 1);
	assert_int_equal(heard.message[0].component_ns[COMPONENT_RUNQUEUE], 4500);
	assert_int_equal(blame_sum(&heard.message[0]), 4500);
}

static void a_kernel_that_hides_the_switch_is_said_to(void **state)
{
	uint64_t base = base_of(0, 1);

	(void)state;
	info.shows_switch = false;
	put_roles();
	put_tick(&tape, 0, base, 1);
	put_whole_slice(0, 1);
	put_whole_send(0, 1);
	put_whole_stamp(0, 1);
	put_receive(&tape, tid_of(1), 1, 0, base - 5000, base + 1000, 0,
		    CHANGES(SLEEP(base - 4000, 0), WAKE(base + 250, 0), SWITCH(base + 400, 0)));
	play();
	assert_integrity(1, 1);
	assert_false(heard.message[0].shows_switch);
	assert_int_equal(heard.message[0].component_ns[COMPONENT_SWITCH], 0);
	assert_int_equal(heard.message[0].component_ns[COMPONENT_RECEIVE], 600);
}

/* What a SEND calls its beginning is only known not to be earlier then. */
static void without_calls_a_message_begins_when_it_is_there(void **state)
{
	uint64_t base = base_of(0, 1);
	const struct message *message;

	(void)state;
	info.level = LEVEL_LIGHT;
	put_roles();
	put_tick(&tape, 0, base, 1);
	put_whole_slice(0, 1);
	put_send(&tape, SERVER, 1, 0, base - 7000, base + 200);
	put_whole_receive(0, 1);
	put_whole_stamp(0, 1);
	play();
	assert_integrity(1, 1);
	message = &heard.message[0];
	assert_true(message->hides_calls);
	assert_int_equal(message->latency_ns, 1100);
	assert_int_equal(message->component_ns[COMPONENT_DISPATCH], 200);
	assert_int_equal(message->component_ns[COMPONENT_SEND_PATH], 0);
	assert_int_equal(message->component_ns[COMPONENT_WAKEUP], 50);
	assert_int_equal(message->component_ns[COMPONENT_RUNQUEUE], 150);
	assert_int_equal(message->component_ns[COMPONENT_SWITCH], 50);
	assert_int_equal(message->component_ns[COMPONENT_RECEIVE], 650);
	assert_int_equal(message->component_ns[COMPONENT_RETURN], 0);
	assert_int_equal(heard.summary->integrity.residual_ns_max, 0);
}

static void a_switch_that_went_unseen_is_counted(void **state)
{
	uint64_t base = base_of(0, 1);

	(void)state;
	put_roles();
	put_tick(&tape, 0, base, 1);
	put_whole_slice(0, 1);
	put_whole_send(0, 1);
	put_whole_stamp(0, 1);
	put_receive(&tape, tid_of(1), 1, 0, base - 5000, base + 1000, 0,
		    CHANGES(SLEEP(base - 4000, 0), WAKE(base + 250, 0), RESUME(base + 450, 0)));
	put_message(0, 2);
	play();
	assert_int_equal(heard.summary->integrity.unseen_switches, 1);
	assert_true(heard.message[0].unseen_switch);
	assert_false(heard.message[1].unseen_switch);
	assert_int_equal(heard.message[0].component_ns[COMPONENT_RUNQUEUE], 200);
}

/* Thread 500 runs while bandwidth control holds the client back, and has no part in it. */
static void a_throttled_client_blames_bandwidth_control(void **state)
{
	uint64_t base = base_of(0, 1);

	(void)state;
	put_roles();
	put_tick(&tape, 0, base, 1);
	put_whole_slice(0, 1);
	put_whole_send(0, 1);
	put_whole_stamp(0, 1);
	put_receive(&tape, tid_of(1), 1, 0, base - 5000, base + 1000, 0,
		    CHANGES(THROTTLE(base + 250, 0), SWITCH(base + 400, 0), RUN(base + 450, 0)));
	play();
	assert_integrity(1, 1);
	assert_blame(&heard.message[0], BLAME_THROTTLED, 0, 150);
	assert_int_equal(heard.message[0].blame_cnt, 1);
}

static void a_wakeup_that_went_unseen_is_counted(void **state)
{
	uint64_t base = base_of(0, 1);

	(void)state;
	put_roles();
	put_tick(&tape, 0, base, 1);
	put_whole_send(0, 1);
	put_whole_stamp(0, 1);
	put_receive(&tape, tid_of(1), 1, 0, base - 5000, base + 1000, 0,
		    CHANGES(SLEEP(base - 4000, 0), SWITCH(base + 400, 0), RUN(base + 450, 0)));
	put_message(0, 2);
	play();
	assert_integrity(2, 2);
	assert_int_equal(heard.summary->integrity.unseen_wakeups, 1);
	assert_true(heard.message[0].unseen_wakeup);
	assert_false(heard.message[1].unseen_wakeup);
	assert_int_equal(heard.message[0].component_ns[COMPONENT_RUNQUEUE], 0);
	assert_int_equal(heard.message[0].blame_cnt, 0);
}

static void a_receive_between_two_sleeps_is_no_wakeup(void **state)
{
	uint64_t base = base_of(0, 1);

	(void)state;
	put_roles();
	put_tick(&tape, 0, base, 1);
	put_whole_send(0, 1);
	put_whole_stamp(0, 1);
	put_receive(&tape, tid_of(1), 1, 0, base - 5000, base + 1000, 0,
		    CHANGES(SLEEP(base - 4000, 0), SLEEP(base + 400, 0), WAKE(base + 450, 0),
			    SWITCH(base + 460, 0), RUN(base + 470, 0)));
	play();
	assert_integrity(1, 0);
	assert_incomplete(INCOMPLETE_NO_WAKEUP, 1);
}

/* Round 1 is received while running; the record that said how the client came to run is lost. */
static void a_message_after_lost_changes_is_lost_history(void **state)
{
	uint64_t base = base_of(1, 1);

	(void)state;
	put_roles();
	put_tick(&tape, 0, base_of(0, 1), 1);
	put_whole_send(0, 1);
	put_whole_stamp(0, 1);
	put_tick(&tape, 1, base, 1);
	put_whole_send(1, 1);
	put_receive(&tape, tid_of(1), 1, 1, base - 5000, base + 1000, 5, NO_CHANGES);
	put_whole_stamp(1, 1);
	play();
	assert_integrity(2, 0);
	assert_int_equal(heard.summary->integrity.incomplete[INCOMPLETE_NOT_RECEIVED], 1);
	assert_int_equal(heard.summary->integrity.incomplete[INCOMPLETE_HISTORY], 1);
}

/* A thread that slept and woke very often before its receive: the older part has its own record. */
static void changes_of_a_changes_record_are_part_of_the_history(void **state)
{
	uint64_t base = base_of(0, 1);

	(void)state;
	put_roles();
	put_tick(&tape, 0, base, 1);
	put_whole_slice(0, 1);
	put_whole_send(0, 1);
	put_whole_stamp(0, 1);
	put_receive(&tape, tid_of(1), 1, 0, base - 5000, base + 1000, 2,
		    CHANGES(SWITCH(base + 400, 0), RUN(base + 450, 0)));
	put_changes(&tape, tid_of(1), base + 300, 0,
		    CHANGES(SLEEP(base - 4000, 0), WAKE(base + 250, 0)));
	play();
	assert_integrity(1, 1);
	assert_components(&heard.message[0], whole);
}

/* Changes have 46 bits of time. Here `queued` is before 2^46 ns and recv behind it. */
static void time_may_wrap_within_a_message(void **state)
{
	uint64_t base = (1ULL << CHANGE_TIME_BITS) * 3 - 300;

	(void)state;
	put_roles();
	put_tick(&tape, 0, base, 1);
	put_slice(&tape, make_task(0, 0, TASK, base + 400));
	put_send(&tape, SERVER, 1, 0, base + 100, base + 200);
	put_receive(&tape, tid_of(1), 1, 0, base - 5000, base + 1000, 0,
		    CHANGES(SLEEP(base - 4000, 0), WAKE(base + 250, 0), SWITCH(base + 400, 0),
			    RUN(base + 450, 0)));
	put_stamp(&tape, 1, 0, base, base + 1100);
	play();
	assert_integrity(1, 1);
	assert_components(&heard.message[0], whole);
	assert_blame(&heard.message[0], BLAME_TASK, TASK, 150);
}

static void a_client_that_left_is_said_to(void **state)
{
	struct record_left left = {
		.head = {.type = RECORD_LEFT, .words = RECORD_WORDS(left), .tid = 102},
		.client = 2,
		.reason = LEFT_SIGNAL,
		.round = 1,
		.detail = 9};

	(void)state;
	put_roles();
	put_round(0);
	put_tick(&tape, 1, base_of(1, 1), 1);
	put_message(1, 1);
	tape_add(&tape, &left);
	play();
	assert_integrity(3, 3);
	assert_int_equal(heard.summary->rounds.complete, 1);
	assert_false(heard.summary->client[0].left);
	assert_true(heard.summary->client[1].left);
	assert_int_equal(heard.summary->client[1].left_reason, LEFT_SIGNAL);
	assert_int_equal(heard.summary->client[1].left_detail, 9);
	assert_int_equal(heard.summary->client[1].left_round, 1);
	assert_false(heard.summary->server_left);
}

static void a_server_that_left_is_said_to_and_a_stranger_is_not_the_server(void **state)
{
	struct record_left left = {.head = {.type = RECORD_LEFT, .words = RECORD_WORDS(left)},
				   .client = 3,
				   .reason = LEFT_EXIT};

	(void)state;
	put_roles();
	tape_add(&tape, &left);
	play();
	assert_false(heard.summary->server_left);
	hearing_free(&heard);
	left.client = 0;
	tape_add(&tape, &left);
	play();
	assert_true(heard.summary->server_left);
	assert_int_equal(heard.summary->server_left_reason, LEFT_EXIT);
}

static void a_stop_of_the_run_is_no_leaving_of_server_or_client(void **state)
{
	struct record_left left = {.head = {.type = RECORD_LEFT, .words = RECORD_WORDS(left)},
				   .client = LEFT_ALL,
				   .reason = LEFT_SIGNAL,
				   .round = 1,
				   .detail = 15};

	(void)state;
	put_roles();
	tape_add(&tape, &left);
	play();
	assert_false(heard.summary->server_left);
	assert_false(heard.summary->client[0].left || heard.summary->client[1].left);
	assert_true(heard.summary->all_left && heard.summary->all_left_early);
	assert_int_equal(heard.summary->all_left_reason, LEFT_SIGNAL);
	assert_int_equal(heard.summary->all_left_detail, 15);
}

static void the_end_record_brings_losses_and_cost(void **state)
{
	struct record_end end = {.head = {.type = RECORD_END, .words = RECORD_WORDS(end)},
				 .loss = {[LOSS_RING_FULL] = 7, [LOSS_STAMPS] = 3},
				 .bpf_ns = 1000,
				 .bpf_messages = 4};

	(void)state;
	put_roles();
	play();
	assert_true(heard.summary->integrity.truncated);
	assert_false(heard.summary->observer.measured);
	hearing_free(&heard);
	tape_add(&tape, &end);
	play();
	assert_false(heard.summary->integrity.truncated);
	assert_int_equal(heard.summary->integrity.loss[LOSS_RING_FULL], 7);
	assert_int_equal(heard.summary->integrity.loss[LOSS_STAMPS], 3);
	assert_true(heard.summary->observer.bpf_ns_per_message == 250);
}

static void lateness_and_skipped_ticks_are_summed(void **state)
{
	struct record_tick tick = make_tick(0, 1500, 0);

	(void)state;
	tick.due_ns = 1000;
	tick.skipped = 3;
	tape_add(&tape, &tick);
	tick.round = 1;
	tick.stamp_ns = 2100;
	tick.due_ns = 2000;
	tape_add(&tape, &tick);
	play();
	assert_int_equal(heard.summary->tick.lateness.count, 2);
	assert_int_equal(heard.summary->tick.lateness.sum, 600);
	assert_int_equal(heard.summary->tick.skipped, 6);
}

static int count_message(void *ctx, const struct message *message)
{
	(void)message;
	return ++*(int *)ctx == 2 ? -EPIPE : 0;
}

static void messages_come_at_watermarks_and_what_the_callback_says_is_returned(void **state)
{
	int messages = 0;
	struct analysis *a = analysis__new(&info, count_message, &messages);
	size_t i;

	(void)state;
	put_roles();
	put_round(0);
	put_watermark(&tape, base_of(0, 1) + 1000);
	put_watermark(&tape, base_of(0, 1) + 1001);
	put_watermark(&tape, base_of(1, 1));
	for (i = 0; i < tape.cnt - 2; i++)
		assert_int_equal(analysis__record(a, tape.record[i]), 0);
	assert_int_equal(messages, 0);
	assert_int_equal(analysis__record(a, tape.record[i++]), 0);
	assert_int_equal(messages, 1);
	assert_int_equal(analysis__record(a, tape.record[i]), -EPIPE);
	assert_int_equal(messages, 2);
	analysis__free(a);
}

static void a_stamp_that_comes_after_the_watermark_is_still_good(void **state)
{
	(void)state;
	put_roles();
	put_tick(&tape, 0, base_of(0, 1), 1);
	put_whole_slice(0, 1);
	put_whole_send(0, 1);
	put_whole_receive(0, 1);
	put_watermark(&tape, base_of(5, 1));
	put_watermark(&tape, base_of(6, 1));
	put_whole_stamp(0, 1);
	play();
	assert_integrity(1, 1);
	assert_components(&heard.message[0], whole);
	assert_blame(&heard.message[0], BLAME_TASK, TASK, 150);
}

/* ---- Without tracing there are only the workload's own records. ---- */

static void an_untraced_run_has_latencies_and_rounds(void **state)
{
	(void)state;
	info.traced = false;
	put_roles();
	for (uint64_t round = 0; round < 3; round++) {
		put_whole_stamp(round, 1);
		put_whole_stamp(round, 2);
		put_tick(&tape, round, base_of(round, 1), 2);
	}
	play();
	assert_int_equal(heard.cnt, 0);
	assert_int_equal(heard.summary->integrity.sent, 6);
	assert_int_equal(heard.summary->integrity.matched, 6);
	assert_int_equal(heard.summary->latency.sum, 6600);
	assert_int_equal(heard.summary->client[1].latency.count, 3);
	assert_int_equal(heard.summary->rounds.complete, 3);
	assert_int_equal(heard.summary->component[COMPONENT_DISPATCH].count, 0);
}

static void an_untraced_message_without_a_stamp_is_not_recorded(void **state)
{
	(void)state;
	info.traced = false;
	info.workload.warmup = 1;
	put_roles();
	for (uint64_t round = 0; round < 3; round++) {
		put_whole_stamp(round, 1);
		put_tick(&tape, round, base_of(round, 1), 2);
	}
	put_stamp(&tape, 2, 1, 5000, 4999);
	put_stamp(&tape, 3, 1, 5000, 6000); /* there is no client 3 */
	play();
	assert_int_equal(heard.summary->integrity.sent, 4);
	assert_int_equal(heard.summary->integrity.matched, 2);
	assert_int_equal(heard.summary->integrity.incomplete[INCOMPLETE_ORDER], 1);
	assert_int_equal(heard.summary->integrity.incomplete[INCOMPLETE_NOT_RECORDED], 1);
}

/* 40 rounds of one client; in round 30 it is late. `reverse`: the stamps come last first. */
static void play_untraced_peak(bool reverse)
{
	info.traced = false;
	info.workload.clients = 1;
	put_roles();
	for (uint64_t i = 0; i < 40; i++) {
		uint64_t round = reverse ? 39 - i : i, base = base_of(round, 1);

		put_tick(&tape, round, base, 1);
		put_stamp(&tape, 1, round, base, base + (round == 30 ? 50000 : 1000));
	}
	play();
	assert_int_equal(heard.summary->peaks.count, 1);
	assert_int_equal(heard.summary->peaks.largest.latency_ns, 50000);
}

static void a_peak_is_as_late_as_its_stamp_after_the_first(void **state)
{
	(void)state;
	play_untraced_peak(false);
	assert_int_equal(heard.summary->peaks.largest.at_ns, 3000000);
}

static void a_peak_is_as_late_in_whatever_order_the_stamps_come(void **state)
{
	(void)state;
	play_untraced_peak(true);
	assert_int_equal(heard.summary->peaks.largest.at_ns, 3000000);
}

static void an_untraced_peak_has_no_component_to_blame(void **state)
{
	(void)state;
	play_untraced_peak(false);
	assert_int_equal(heard.summary->peaks.largest.component_ns, 0);
	assert_int_equal(sum_of(heard.summary->peaks.cause, NR_COMPONENTS), 0);
}

/* ---- More messages are open than fit. ---- */

static void collector_send(struct analysis *a, uint32_t tid, uint32_t channel, uint64_t position)
{
	struct record_send send = make_send(tid, channel, position, 1100, 1200);

	assert_int_equal(analysis__record(a, &send.head), 0);
}

static struct analysis *full_analysis(void)
{
	struct analysis *a = analysis__new(&info, NULL, NULL);

	assert_non_null(a);
	put_roles();
	for (size_t i = 0; i < tape.cnt; i++)
		assert_int_equal(analysis__record(a, tape.record[i]), 0);
	for (uint64_t i = 0; i < JOIN_PENDING_MAX; i++)
		collector_send(a, SERVER, 1, i);
	return a;
}

/* A send is refused; one message is settled, so that the refused one's receive finds room. */
static void a_refused_message_is_counted_once(void **state)
{
	struct record_tick tick = make_tick(0, 1000, JOIN_PENDING_MAX + 1);
	struct record_receive first = make_receive(tid_of(1), 1, 0, 1150, 1300);
	struct record_receive refused = make_receive(tid_of(1), 1, JOIN_PENDING_MAX, 1350, 1400);
	struct record_stamp stamp = make_stamp(1, 0, 1000, 1400);
	struct record_watermark watermark = {
		.head = {.type = RECORD_WATERMARK, .words = RECORD_WORDS(watermark)},
		.before_ns = 2000};
	struct analysis *a = full_analysis();
	const struct integrity *integrity = &analysis__summary(a)->integrity;

	(void)state;
	collector_send(a, SERVER, 1, JOIN_PENDING_MAX);
	assert_int_equal(analysis__record(a, &tick.head), 0);
	assert_int_equal(analysis__record(a, &first.head), 0);
	assert_int_equal(analysis__record(a, &stamp.head), 0);
	assert_int_equal(analysis__record(a, &watermark.head), 0);
	assert_int_equal(analysis__record(a, &refused.head), 0);
	assert_int_equal(analysis__finish(a), 0);
	assert_int_equal(integrity->matched, 1);
	assert_int_equal(integrity->incomplete[INCOMPLETE_OVERFLOW], 1);
	assert_int_equal(accounted(integrity), integrity->sent);
	analysis__free(a);
}

/* So many preemptions in one receive call are more segments than a message can have. */
static void too_many_segments_take_no_other_messages_reason(void **state)
{
	enum { PREEMPTIONS = BREAKDOWN_SEGMENTS_MAX / 3 / 10 * 10 + 10 };
	static uint64_t change[3 * PREEMPTIONS];
	uint64_t base = base_of(0, 1), end = base + 300 + ARRAY_SIZE(change);

	(void)state;
	put_roles();
	put_tick(&tape, 0, base, 2);
	put_whole_send(0, 1);
	put_stamp(&tape, 1, 0, base, end + 100);
	for (uint64_t i = 0; i < ARRAY_SIZE(change); i += 3) {
		change[i] = PREEMPT(base + 300 + i, 0);
		change[i + 1] = SWITCH(base + 301 + i, 0);
		change[i + 2] = RUN(base + 302 + i, 0);
	}
	for (uint64_t i = 0; i < ARRAY_SIZE(change); i += 30)
		put_changes(&tape, tid_of(1), base + 400 + i, i, change + i, 30);
	put_receive(&tape, tid_of(1), 1, 0, base - 5000, end, ARRAY_SIZE(change), NO_CHANGES);
	put_whole_receive(0, 2); /* and of this one the send is lost */
	put_whole_stamp(0, 2);
	play();
	assert_integrity(2, 0);
	assert_int_equal(heard.summary->integrity.incomplete[INCOMPLETE_OVERFLOW], 1);
	assert_int_equal(heard.summary->integrity.incomplete[INCOMPLETE_NO_SEND], 1);
}

static void refused_control_and_warm_up_messages_are_not_counted(void **state)
{
	struct analysis *a;

	(void)state;
	info.workload.warmup = 10;
	a = full_analysis();
	collector_send(a, tid_of(1), 60, 20);
	collector_send(a, SERVER, 2, 5);
	assert_int_equal(analysis__finish(a), 0);
	assert_int_equal(analysis__summary(a)->integrity.incomplete[INCOMPLETE_OVERFLOW], 0);
	analysis__free(a);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_message_with_all_its_records_is_matched),
		TEST(the_summary_has_every_matched_message),
		TEST(a_message_without_its_send_is_no_send),
		TEST(a_message_without_its_receive_is_not_received),
		TEST(a_message_without_its_stamp_is_no_stamp),
		TEST(a_message_without_any_record_is_not_recorded),
		TEST(sent_counts_messages_whose_tick_was_lost),
		TEST(a_stamp_of_another_round_is_a_mismatch),
		TEST(warm_up_is_in_no_figure),
		TEST(what_is_incomplete_in_the_warm_up_is_not_counted),
		TEST(control_messages_are_ignored),
		TEST(a_receive_may_be_seen_before_queued),
		TEST(a_receive_before_the_send_is_out_of_order),
		TEST(two_messages_of_one_receive_call_have_their_own_anatomy),
		TEST(a_message_queued_during_the_sleep_for_an_earlier_one_slept_too),
		TEST(without_the_record_of_its_call_a_sleep_is_not_called_blocked),
		TEST(blame_goes_to_both_cpus_of_a_migration),
		TEST(culprits_are_classed_by_their_part_in_the_run),
		TEST(a_lost_slice_makes_its_time_unknown),
		TEST(interrupts_are_carved_out_of_the_tasks_blame),
		TEST(a_lost_interrupt_makes_its_tasks_time_unknown),
		TEST(a_slice_has_one_name_also_when_an_interrupt_cuts_it),
		TEST(the_blame_of_very_many_culprits_adds_up),
		TEST(a_kernel_that_hides_the_switch_is_said_to),
		TEST(without_calls_a_message_begins_when_it_is_there),
		TEST(a_switch_that_went_unseen_is_counted),
		TEST(a_throttled_client_blames_bandwidth_control),
		TEST(a_wakeup_that_went_unseen_is_counted),
		TEST(a_receive_between_two_sleeps_is_no_wakeup),
		TEST(a_message_after_lost_changes_is_lost_history),
		TEST(changes_of_a_changes_record_are_part_of_the_history),
		TEST(time_may_wrap_within_a_message),
		TEST(a_client_that_left_is_said_to),
		TEST(a_server_that_left_is_said_to_and_a_stranger_is_not_the_server),
		TEST(a_stop_of_the_run_is_no_leaving_of_server_or_client),
		TEST(the_end_record_brings_losses_and_cost),
		TEST(lateness_and_skipped_ticks_are_summed),
		TEST(messages_come_at_watermarks_and_what_the_callback_says_is_returned),
		TEST(a_stamp_that_comes_after_the_watermark_is_still_good),
		TEST(an_untraced_run_has_latencies_and_rounds),
		TEST(an_untraced_message_without_a_stamp_is_not_recorded),
		TEST(a_peak_is_as_late_as_its_stamp_after_the_first),
		TEST(a_peak_is_as_late_in_whatever_order_the_stamps_come),
		TEST(an_untraced_peak_has_no_component_to_blame),
		TEST(a_refused_message_is_counted_once),
		TEST(too_many_segments_take_no_other_messages_reason),
		TEST(refused_control_and_warm_up_messages_are_not_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
