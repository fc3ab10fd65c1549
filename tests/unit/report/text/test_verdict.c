/* SPDX-License-Identifier: BSD-2-Clause */
/* The last sentence of the text report. */
#include "support/build.h"
#include "support/page.h"
#include "support/sample.h"

#include <linux/sched.h>
#include <stdlib.h>

/* A run in which one component has nine tenths of the time. */
static void assert_verdict(enum component dominating, uint32_t clients, const char *sentence)
{
	uint64_t component_ns[NR_COMPONENTS] = {0};
	struct summary summary;

	sample_begin(&summary, clients);
	component_ns[COMPONENT_RETURN] = 10000;
	component_ns[dominating] += 90000;
	for (uint32_t client = 1; client <= clients; client++)
		sample_add(&summary, client, component_ns);
	assert_shows(&summary, sentence);
	sample_free(&summary);
}

static void the_verdict_names_the_dominating_component(void **state)
{
	assert_verdict(COMPONENT_DISPATCH, 5,
		       "Nearly all of a message's latency (90 %) is dispatch: it passes before "
		       "the server's loop comes to this client.");
	assert_verdict(COMPONENT_DISPATCH, 1,
		       "is dispatch: the server's way from its clock reading to the send.");
	assert_verdict(COMPONENT_SEND_PATH, 5, "(90 %) is the kernel's send path.");
	assert_verdict(COMPONENT_WAKEUP, 5,
		       "(90 %) is the context switch, above all the wake-up until the receiver is "
		       "runnable.");
	assert_verdict(COMPONENT_RUNQUEUE, 5,
		       "(90 %) is the context switch, above all the wait for a CPU.");
	assert_verdict(COMPONENT_SWITCH, 5,
		       "(90 %) is the context switch, above all the scheduler's own switch to the "
		       "receiver.");
	assert_verdict(COMPONENT_BUSY, 5, "(90 %) is the receiver being busy with something else.");
	assert_verdict(COMPONENT_BLOCKED, 5, "(90 %) is the receiver waiting for something else.");
	assert_verdict(COMPONENT_RECEIVE, 5, ") is the receive call.");
	assert_verdict(COMPONENT_RETURN, 5,
		       ") is the way from the receive call back into the application.");
}

/* 90 of 100 us are the receive call, 10 the return from it. */
static void the_verdict_gives_the_share_of_what_it_names(void **state)
{
	const uint64_t component_ns[NR_COMPONENTS] = {
		[COMPONENT_RECEIVE] = 90000, [COMPONENT_RETURN] = 10000};
	struct summary summary;

	sample_begin(&summary, 1);
	sample_add(&summary, 1, component_ns);
	assert_shows_not(&summary, "(100 %) is the receive call.");
	sample_free(&summary);
}

static void the_verdict_measures_its_words(void **state)
{
	static const struct {
		uint64_t share;
		const char *words;
	} shares[] = {{95, "Nearly all of a message's latency (95 %)"},
		      {89, "Most of a message's latency (89 %)"},
		      {55, "Most of a message's latency (55 %)"},
		      {50, "About half of a message's latency (50 %)"}};
	struct summary summary;

	for (size_t i = 0; i < ARRAY_SIZE(shares); i++) {
		uint64_t component_ns[NR_COMPONENTS] = {
			[COMPONENT_SEND_PATH] = 1000 * shares[i].share,
			[COMPONENT_BUSY] = 500 * (100 - shares[i].share),
			[COMPONENT_BLOCKED] = 500 * (100 - shares[i].share)};

		sample_begin(&summary, 1);
		sample_add(&summary, 1, component_ns);
		assert_shows(&summary, shares[i].words);
		sample_free(&summary);
	}
}

static void the_verdict_names_what_kept_the_cpu(void **state)
{
	static const struct {
		struct blame blame;
		const char *words;
	} cases[] = {
		{{.class = BLAME_SERVER, .comm = "s"},
		 "while the server itself kept the CPU (80 % of that wait)."},
		{{.class = BLAME_CLIENT, .policy = SCHED_RR, .priority = 1, .comm = "client-2"},
		 "behind other clients (80 % of that wait; client-2 (RR 98) alone 80 %)."},
		{{.class = BLAME_TASK, .priority = 115, .comm = "cc1"},
		 "behind other tasks (80 % of that wait; cc1 (nice -5) alone 80 %)."},
		{{.class = BLAME_TASK, .tid = TID_OUTSIDE | 7, .priority = 120, .comm = "cc1"},
		 "behind other tasks (80 % of that wait; cc1 (nice 0, outside) alone 80 %)."},
		{{.class = BLAME_TASK, .tid = TID_OUTSIDE | 7},
		 "behind other tasks (80 % of that wait; thread outside alone 80 %)."},
		{{.class = BLAME_KTHREAD,
		  .tid = TID_OUTSIDE | 7,
		  .priority = 120,
		  .comm = "kworker"},
		 "behind kernel threads (80 % of that wait; kworker (nice 0) alone 80 %)."},
		{{.class = BLAME_KTHREAD, .policy = SCHED_FIFO, .priority = 0, .comm = "migration"},
		 "behind kernel threads (80 % of that wait; migration (FIFO 99) alone 80 %)."},
		{{.class = BLAME_IRQ, .kind = SLICE_IRQ, .tid = 24},
		 "behind interrupts (80 % of that wait; (irq 24) alone 80 %)."},
		{{.class = BLAME_SOFTIRQ, .kind = SLICE_SOFTIRQ, .comm = "net_rx"},
		 "behind softirqs (80 % of that wait; net_rx (softirq 0) alone 80 %)."},
		{{.class = BLAME_IDLE}, "while the CPU was leaving idle (80 % of that wait)."},
		{{.class = BLAME_THROTTLED}, "held back by bandwidth control (80 % of that wait)."},
		{{.class = BLAME_UNKNOWN},
		 "; who ran meanwhile is mostly unknown (80 % of that wait)."},
	};
	const uint64_t component_ns[NR_COMPONENTS] = {[COMPONENT_RUNQUEUE] = 100000};
	struct summary summary;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		sample_begin(&summary, 1);
		sample_add(&summary, 1, component_ns);
		summary.blame_cnt = 1;
		summary.blame = calloc(1, sizeof(*summary.blame));
		assert_non_null(summary.blame);
		summary.blame->total = cases[i].blame;
		summary.blame->total.ns = 80000;
		assert_shows(&summary, cases[i].words);
		sample_free(&summary);
	}
}

/* Either end of a connection may be the server, so the verdict names the sender. */
static void an_attach_blames_the_sender(void **state)
{
	const uint64_t component_ns[NR_COMPONENTS] = {[COMPONENT_RUNQUEUE] = 100000};
	struct summary summary;

	sample_begin(&summary, 1);
	sample_add(&summary, 1, component_ns);
	summary.info.mode = MODE_ATTACH;
	summary.blame_cnt = 1;
	summary.blame = calloc(1, sizeof(*summary.blame));
	assert_non_null(summary.blame);
	summary.blame->total =
		(struct blame){.class = BLAME_SERVER, .ns = 80000, .priority = 120, .comm = "s"};
	assert_shows(&summary, "while the sender itself kept the CPU (80 % of that wait).");
	assert_shows(&summary, " sender s (nice 0) ");
	assert_shows_not(&summary, " server ");
	sample_free(&summary);
}

/* Many small threads of one class outweigh a larger one of another class. */
static void the_verdict_blames_the_class_that_took_most(void **state)
{
	struct summary summary;
	uint64_t all_ns;

	sample_summary(&summary, 5);
	all_ns = summary.component[COMPONENT_RUNQUEUE].sum;
	summary.blame[0].total.ns = all_ns * 4 / 10;
	for (int i = 1; i < 3; i++) {
		summary.blame[i].total = (struct blame){
			.class = BLAME_TASK, .tid = i, .ns = all_ns * 3 / 10, .comm = "make"};
	}
	assert_shows(&summary, "first of all behind other tasks (60 % of that wait)");
	sample_free(&summary);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_verdict_names_the_dominating_component),
		cmocka_unit_test(the_verdict_gives_the_share_of_what_it_names),
		cmocka_unit_test(the_verdict_measures_its_words),
		cmocka_unit_test(the_verdict_names_what_kept_the_cpu),
		cmocka_unit_test(an_attach_blames_the_sender),
		cmocka_unit_test(the_verdict_blames_the_class_that_took_most),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
