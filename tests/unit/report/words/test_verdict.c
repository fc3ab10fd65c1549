/* SPDX-License-Identifier: BSD-2-Clause */
/* The first sentence of the text report. */
#include "support/build.h"
#include "support/page.h"
#include "support/sample.h"

#include <linux/sched.h>
#include <stdlib.h>
#include <string.h>

/* A run in which one component has nine tenths of the time. */
static void assert_verdict(enum component dominating, uint32_t clients, const char *sentence)
{
	uint64_t component_ns[NR_COMPONENTS] = {0};
	struct summary *summary = sample_begin(clients);

	component_ns[COMPONENT_RETURN] = 10000;
	component_ns[dominating] += 90000;
	for (uint32_t client = 1; client <= clients; client++)
		sample_add(summary, client, component_ns);
	assert_shows(summary, sentence);
}

TEST(the_cause_is_the_dominating_component)
{
	assert_verdict(COMPONENT_DISPATCH, 5,
		       "90 % of the latency is time before the send call (dispatch): the loop of "
		       "ipctrace-server, which sends to one client after another.");
	assert_verdict(COMPONENT_DISPATCH, 1,
		       "(dispatch): ipctrace-server is between its clock reading and the send "
		       "call.");
	assert_verdict(COMPONENT_SEND_PATH, 5,
		       "90 % of the latency is the send path: from the start of the send call of "
		       "ipctrace-server until the data can be read.");
	assert_verdict(COMPONENT_ROOM, 5,
		       "90 % of the latency is waiting for room at the receiver: a client receives "
		       "too slowly.");
	assert_verdict(COMPONENT_WAKEUP, 5,
		       "90 % of the latency is the wakeup of a receiver that sleeps: a client "
		       "sleeps until the kernel has woken it up.");
	assert_verdict(COMPONENT_RUNQUEUE, 5,
		       "90 % of the latency is waiting for a CPU: a client waits.");
	assert_verdict(COMPONENT_SWITCH, 5,
		       "90 % of the latency is the switch to the receiver: the CPU switches to a "
		       "client.");
	assert_verdict(COMPONENT_BUSY, 5,
		       "90 % of the latency is waiting while the receiver handles other things "
		       "(busy): a client handles other things, such as earlier requests, before it "
		       "receives.");
	assert_verdict(COMPONENT_BLOCKED, 5,
		       "90 % of the latency is waiting for a receiver that sleeps (blocked): a "
		       "client sleeps.");
	assert_verdict(COMPONENT_RECEIVE, 5,
		       "90 % of the latency is the receive call: a client is in its receive call.");
	assert_verdict(COMPONENT_RETURN, 5,
		       "100 % of the latency is the return from the receive call: a client returns "
		       "from its receive call to its own code.");
}

/* 90 of 100 us are the receive call, 10 the return from it. */
TEST(the_cause_has_its_share)
{
	const uint64_t component_ns[NR_COMPONENTS] = {
		[COMPONENT_RECEIVE] = 90000, [COMPONENT_RETURN] = 10000};
	struct summary *summary = sample_begin(1);

	sample_add(summary, 1, component_ns);
	assert_shows(summary, "90 % of the latency is the receive call");
}

TEST(a_second_part_is_named_if_it_is_large)
{
	uint64_t component_ns[NR_COMPONENTS] = {[COMPONENT_SEND_PATH] = 60000,
						[COMPONENT_RUNQUEUE] = 30000,
						[COMPONENT_RECEIVE] = 10000};
	struct summary *summary = sample_begin(1);

	sample_add(summary, 1, component_ns);
	assert_shows(summary, "60 % of the latency is the send path");
	assert_shows(summary, ". 30 % is waiting for a CPU.");
	component_ns[COMPONENT_RUNQUEUE] = 20000;
	component_ns[COMPONENT_RECEIVE] = 20000;
	summary = sample_begin(1);
	sample_add(summary, 1, component_ns);
	assert_shows_not(summary, " is waiting for a CPU.");
}

TEST(the_verdict_names_what_kept_the_cpu)
{
	static const struct {
		struct blame blame;
		const char *words;
	} cases[] = {
		{{.class = BLAME_SERVER, .comm = "s"},
		 ", mostly behind s (pid 0), the sender: 80 % of the latency."},
		{{.class = BLAME_CLIENT, .policy = SCHED_RR, .priority = 1, .comm = "client-2"},
		 ", mostly behind client-2 (pid 0, RR 98): 80 % of the latency."},
		{{.class = BLAME_TASK, .priority = 115, .comm = "cc1"},
		 ", mostly behind cc1 (pid 0, nice -5): 80 % of the latency."},
		{{.class = BLAME_TASK, .tid = TID_OUTSIDE | 7, .priority = 120, .comm = "cc1"},
		 ", mostly behind cc1 (nice 0, outside): 80 % of the latency."},
		{{.class = BLAME_TASK, .tid = TID_OUTSIDE | 7},
		 ", mostly behind thread outside: 80 % of the latency."},
		{{.class = BLAME_KTHREAD,
		  .tid = TID_OUTSIDE | 7,
		  .priority = 120,
		  .comm = "kworker"},
		 ", mostly behind kworker (nice 0): 80 % of the latency."},
		{{.class = BLAME_KTHREAD, .policy = SCHED_FIFO, .priority = 0, .comm = "migration"},
		 ", mostly behind migration (pid 0, FIFO 99): 80 % of the latency."},
		{{.class = BLAME_IRQ, .kind = SLICE_IRQ, .tid = 24},
		 ", mostly behind (irq 24): 80 % of the latency."},
		{{.class = BLAME_SOFTIRQ, .kind = SLICE_SOFTIRQ, .comm = "net_rx"},
		 ", mostly behind net_rx (softirq 0): 80 % of the latency."},
		{{.class = BLAME_IDLE},
		 ", mostly for a CPU that wakes from idle: 80 % of the latency."},
		{{.class = BLAME_THROTTLED},
		 ", mostly for the CPU quota of its control group: 80 % of the latency."},
		{{.class = BLAME_UNKNOWN}, ", mostly behind an unknown task: 80 % of the latency."},
	};
	const uint64_t component_ns[NR_COMPONENTS] = {[COMPONENT_RUNQUEUE] = 100000};
	struct summary *summary;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		summary = sample_begin(1);
		sample_add(summary, 1, component_ns);
		summary->blame_cnt = 1;
		summary->blame = calloc(1, sizeof(*summary->blame));
		assert_non_null(summary->blame);
		summary->blame->total = cases[i].blame;
		summary->blame->total.ns = 80000;
		assert_shows(summary, cases[i].words);
	}
}

/* Either end of a connection may be the server, so the verdict names the sender. */
TEST(an_attach_blames_the_sender)
{
	const uint64_t component_ns[NR_COMPONENTS] = {[COMPONENT_RUNQUEUE] = 100000};
	struct summary *summary = sample_begin(1);

	sample_add(summary, 1, component_ns);
	summary->info.mode = MODE_ATTACH;
	summary->blame_cnt = 1;
	summary->blame = calloc(1, sizeof(*summary->blame));
	assert_non_null(summary->blame);
	summary->blame->total =
		(struct blame){.class = BLAME_SERVER, .ns = 80000, .priority = 120, .comm = "s"};
	assert_shows(summary, ", mostly behind s (pid 0, nice 0), the sender: 80 %");
	assert_shows(summary, " sender s ");
	assert_shows_not(summary, " server ");
}

/* Many small threads of one class outweigh a larger one of another class. */
TEST(the_verdict_blames_the_class_that_took_most)
{
	struct summary *summary = sample_summary(5);
	uint64_t all_ns = summary->component[COMPONENT_RUNQUEUE].sum;

	summary->blame[0].total.ns = all_ns * 4 / 10;
	for (int i = 1; i < 3; i++) {
		summary->blame[i].total = (struct blame){
			.class = BLAME_TASK, .tid = i, .ns = all_ns * 3 / 10, .comm = "make"};
	}
	assert_shows(summary, "mostly behind make (2 threads)");
}

/* A thread that is not the first one of its process has another number than the process. */
TEST(the_verdict_names_the_process_of_a_thread)
{
	struct summary *summary = sample_summary(5);
	struct blame_summary *blame;

	blame = summary->blame;
	for (int i = 0; i < 3; i++) {
		blame[i].total =
			(struct blame){.class = BLAME_TASK,
				       .tid = 12 + i,
				       .ns = i ? 1 : summary->component[COMPONENT_RUNQUEUE].sum,
				       .priority = 120,
				       .comm = "worker"};
		blame[i].pid = 11;
		strcpy(blame[i].process, "java");
	}
	summary->blame_cnt = 1;
	assert_shows(summary, "almost entirely behind worker of java (pid 11, tid 12, nice 0).");
	summary->blame_cnt = 3;
	assert_shows(summary, "almost entirely behind worker of java (pid 11, 3 threads, nice 0).");
	blame[0].total.tid = 11; /* the first thread of the process */
	blame[0].pid = 0;
	assert_shows(summary, "almost entirely behind worker of java (pid 11, 3 threads, nice 0).");
	blame[2].pid = 10;
	assert_shows(summary, "almost entirely behind worker (3 threads, nice 0).");
}

TEST(what_is_typical_is_of_the_units_that_the_cause_speaks_of)
{
	struct summary *summary = sample_attach();

	for (int i = 0; i < 2000; i++)
		stat_add(&summary->latency, i < 1900 ? 10000 : 3000000);
	assert_shows(summary, "half of all messages take at most 10.0");
	summary->calls.messages = summary->integrity.matched;
	summary->calls.count = 2100;
	for (int i = 0; i < 2000; i++) {
		stat_add(&summary->calls.service, i < 1900 ? 40000 : 90000000);
		stat_add(&summary->calls.round_trip, i < 1900 ? 50000 : 90010000);
	}
	assert_shows(summary, "half of all calls take at most 50.");
}

/* A percentile 99 of few values would be the slowest one. */
TEST(few_units_have_no_percentile)
{
	const uint64_t component_ns[NR_COMPONENTS] = {[COMPONENT_RECEIVE] = 10000};
	struct summary *summary = sample_begin(1);

	for (int i = 0; i < 99; i++)
		sample_add(summary, 1, component_ns);
	assert_shows(summary, "half of 99 messages take at most 10.0 us, the slowest one takes "
			      "10.0 us.");
	sample_add(summary, 1, component_ns);
	assert_shows(summary,
		     "half of all messages take at most 10.0 us, 99 % at most 10.0 us, the "
		     "slowest 10.0 us.");
}

TEST(one_slow_message_is_set_apart)
{
	const uint64_t usual_ns[NR_COMPONENTS] = {
		[COMPONENT_RECEIVE] = 9000, [COMPONENT_RETURN] = 1000};
	const uint64_t slow_ns[NR_COMPONENTS] = {[COMPONENT_RUNQUEUE] = 1000000000};
	struct summary *summary = sample_begin(1);

	for (int i = 0; i < 200; i++)
		sample_add(summary, 1, usual_ns);
	sample_add(summary, 1, slow_ns);
	assert_shows(summary, "99.8 % of the latency is waiting for a CPU: ");
	assert_shows(summary,
		     " The slowest 0.5 % of messages (999.8 ms or more) take 99.8 % of "
		     "the latency. Without the slowest 1 %, the largest part is the receive "
		     "call (90 %).");
}

/* Most of them at the socket of a server that is too slow. */
TEST(dropped_datagrams_come_first)
{
	struct summary *summary = sample_attach();

	summary->integrity.dropped = summary->integrity.sent / 2;
	summary->channel[0].dropped = 10;
	summary->channel[1].dropped = 20;
	assert_shows(summary,
		     "50 % of the messages were dropped by the kernel, most of them at the "
		     "socket of psql (pid 812) on /run/x.sock: datagrams find no room when "
		     "a receive buffer is full.");
	summary->channel[0].dropped = summary->channel[1].dropped = 0;
	assert_shows(summary, "50 % of the messages were dropped by the kernel: datagrams find no");
	summary->integrity.dropped = summary->integrity.sent / 200;
	assert_shows_not(summary, "dropped by the kernel");
}

/* Why, if nearly all at that socket have one reason. */
TEST(drops_have_a_reason_where_it_is_known)
{
	struct summary *summary = sample_attach();
	struct drops_summary *drops = &summary->drops;

	summary->integrity.dropped = summary->integrity.sent / 2;
	summary->channel[1].dropped = 20;
	drops->channel = summary->channel[1].id;
	drops->channel_reason = DROP_BUFFER_FULL;
	drops->channel_cnt = drops->reason[DROP_BUFFER_FULL] = 19;
	drops->buffer_bytes = 212992;
	assert_shows(summary, "socket of psql (pid 812) on /run/x.sock: its receive buffer was "
			      "full (212992 bytes).");
	drops->channel_cnt = 17;
	assert_shows(summary, "on /run/x.sock: receive buffers were full.");
	drops->channel_reason = DROP_FILTER;
	drops->channel_cnt = drops->reason[DROP_FILTER] = 20;
	drops->buffer_bytes = 0;
	assert_shows(summary, "on /run/x.sock: a filter of the socket refused them.");
	drops->channel_reason = DROP_OTHER;
	assert_shows(summary, "on /run/x.sock. ");
}

TEST(a_lost_datagram_costs_a_timeout)
{
	struct summary *summary = sample_attach();

	summary->integrity.dropped = summary->integrity.sent / 2;
	summary->drops.timeouts = 1;
	summary->drops.timeout_least_ns = summary->drops.timeout_most_ns = 100000000;
	assert_shows(summary, "A sender that had lost one waited for data until its own timeout of "
			      "100.0 ms. ");
	summary->drops.timeouts = 12;
	summary->drops.timeout_most_ns = 200000000;
	assert_shows(summary, "its own timeout of 100.0 ms to 200.0 ms (12 times).");
}

TEST(missed_periods_come_before_the_cause)
{
	struct summary *summary = sample_summary(5);

	summary->rounds.count = 188;
	summary->rounds.period_ns = 2667000;
	summary->rounds.missed.late = 2;
	summary->rounds.missed.unfinished = 1;
	assert_shows(summary,
		     "MISSED 3 of 188 rounds: 2 began late, 1 took too long (a round begins every "
		     "2.67 ms). CAUSE ");
	summary->rounds.missed.late = summary->rounds.missed.unfinished = 0;
	assert_shows_not(summary, "MISSED");
}

/* Of `cnt` messages in chains of three from a to d, of 100 us each: 70 in b, and 20 to c. */
static void put_chain(struct summary *summary, uint64_t cnt)
{
	const struct end_summary a = {.pid = 11, .tid = 11, .comm = "a"};
	const struct end_summary b = {.pid = 12, .tid = 13, .comm = "b"};
	const struct end_summary c = {.pid = 14, .tid = 14, .comm = "c"};
	const struct end_summary d = {.pid = 15, .tid = 15, .comm = "d"};
	struct chain_summary *chain = calloc(1, sizeof(*chain));

	assert_non_null(chain);
	chain->hop_cnt = 3;
	chain->count = cnt / 3;
	chain->hop[0] = (struct chain_hop){.from = a,
					   .to = b,
					   .transport = TRANSPORT_PIPE,
					   .latency.ns = 5000 * chain->count,
					   .handled.ns = 70000 * chain->count};
	chain->hop[1] = (struct chain_hop){.from = b,
					   .to = c,
					   .transport = TRANSPORT_PIPE,
					   .latency.ns = 20000 * chain->count};
	chain->hop[2] = (struct chain_hop){
		.from = c, .to = d, .transport = TRANSPORT_PIPE, .latency.ns = 5000 * chain->count};
	for (uint64_t i = 0; i < chain->count; i++)
		stat_add(&chain->cycle, 100000);
	summary->chain = chain;
	summary->chain_cnt = 1;
}

TEST(a_chain_is_the_verdict_if_most_messages_are_of_one)
{
	struct summary *summary = sample_attach();

	put_chain(summary, summary->integrity.matched);
	assert_shows(summary, "A cycle from a (pid 11) to d (pid 15), over 3 messages, takes "
			      "100.0 us; 70 % of that is what b (pid 12) does before it sends the "
			      "next one.");
	assert_shows_not(summary, "of the latency is ");
	summary->chain[0].hop[1].latency.ns = 90000 * summary->chain[0].count;
	assert_shows(summary, "is the way to c (pid 14).");
}

TEST(chains_of_few_messages_are_not_the_verdict)
{
	struct summary *summary = sample_attach();

	put_chain(summary, summary->integrity.matched / 3);
	assert_shows(summary, "of the latency is ");
	assert_shows_not(summary, "A cycle from");
}

/* dd | reader | wc */
TEST(a_pipeline_of_two_hops_is_not_a_cycle)
{
	struct summary *summary = sample_attach();

	put_chain(summary, summary->integrity.matched);
	summary->chain[0].hop_cnt = 2;
	assert_shows_not(summary, "A cycle from");
}
