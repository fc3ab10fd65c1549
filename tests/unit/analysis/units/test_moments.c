/* SPDX-License-Identifier: BSD-2-Clause */
/* What threads did, and what ran while a receiver waited, as the analysis hands it out. */
#include "analysis/run_fixture.h"

#include "model/unit.h"

#define AT          100000

#define MOMENTS_MAX 64

static struct moment moment[MOMENTS_MAX];
static uint32_t moment_cnt;
static uint32_t priority;
static struct moment wait[MOMENTS_MAX];
static uint32_t wait_cnt;
static uint32_t messages;

static int on_message(void *ctx, const struct message *message)
{
	assert_ptr_equal(ctx, &info);
	messages++;
	wait_cnt = message->unit->wait_cnt;
	assert_true(wait_cnt <= MOMENTS_MAX);
	memcpy(wait, message->unit->wait, wait_cnt * sizeof(*wait));
	return 0;
}

static int on_moments(void *ctx, const struct thread_moments *moments)
{
	assert_ptr_equal(ctx, &info);
	assert_true(moments->cnt && moment_cnt + moments->cnt <= MOMENTS_MAX);
	for (uint32_t i = 0; i < moments->cnt; i++)
		assert_int_equal(moments->moment[i].tid, moments->thread.tid);
	memcpy(moment + moment_cnt, moments->moment, moments->cnt * sizeof(*moment));
	moment_cnt += moments->cnt;
	priority = moments->priority;
	return 0;
}

static void hear_moments(void)
{
	const struct analysis_request request = {.ctx = &info,
						 .on_message = on_message,
						 .has_units = true,
						 .has_causes = true,
						 .on_moments = on_moments};
	struct analysis *analysis = analysis__new(&info, &request);

	moment_cnt = wait_cnt = messages = 0;
	for (size_t i = 0; i < tape.cnt; i++)
		assert_int_equal(analysis__record(analysis, tape.record[i]), 0);
	assert_int_equal(analysis__finish(analysis), 0);
	analysis__free(analysis);
}

/* Those of one thread: {from, to, cost}, from AT on. */
static void assert_moments(uint32_t tid, size_t cnt, const uint64_t (*expected)[3])
{
	size_t found = 0;

	for (uint32_t i = 0; i < moment_cnt; i++) {
		if (moment[i].tid != tid)
			continue;
		assert_true(found < cnt);
		assert_int_equal(moment[i].from_ns, AT + expected[found][0]);
		assert_int_equal(moment[i].to_ns, AT + expected[found][1]);
		assert_int_equal(moment[i].cost, expected[found][2]);
		found++;
	}
	assert_int_equal(found, cnt);
}

TEST(each_stretch_comes_once)
{
	put_changes(&tape, TASK, AT + 300, 0,
		    CHANGES(SLEEP(AT + 100, 0), WAKE(AT + 200, 1), SWITCH(AT + 300, 1)));
	put_watermark(&tape, AT + 250);
	put_watermark(&tape, AT + 260);
	put_changes(&tape, TASK, AT + 500, 3, CHANGES(PREEMPT(AT + 500, 1)));
	put_watermark(&tape, AT + 600);
	hear_moments();
	assert_moments(TASK, 3,
		       (const uint64_t[][3]){{100, 200, COMPONENT_BLOCKED},
					     {200, 300, COMPONENT_RUNQUEUE},
					     {300, 500, COST_ON_CPU}});
	assert_int_equal(moment[1].cpu, 1);
	assert_int_equal(moment[2].cpu, 1);
	assert_int_equal(priority, 120);
}

TEST(the_priority_is_that_of_the_name)
{
	struct record_name name = make_name(SLICE_TASK, TASK, 1, "task");

	name.priority = 98;
	tape_add(&tape, &name);
	put_changes(&tape, TASK, AT + 200, 0, CHANGES(RUN(AT + 100, 0), SLEEP(AT + 200, 0)));
	hear_moments();
	assert_int_equal(priority, 98);
}

/* The order of records does not matter, and what follows the last change is not known. */
TEST(late_records_change_nothing)
{
	put_changes(&tape, TASK, AT + 500, 3, CHANGES(PREEMPT(AT + 500, 1)));
	put_changes(&tape, TASK, AT + 300, 0,
		    CHANGES(SLEEP(AT + 100, 0), WAKE(AT + 200, 1), SWITCH(AT + 300, 1)));
	put_watermark(&tape, AT + 9000);
	hear_moments();
	assert_moments(TASK, 3,
		       (const uint64_t[][3]){{100, 200, COMPONENT_BLOCKED},
					     {200, 300, COMPONENT_RUNQUEUE},
					     {300, 500, COST_ON_CPU}});
}

/* Change 2 is missing: the thread was runnable at 200, and what came then is not known. */
TEST(a_gap_is_unknown)
{
	put_changes(&tape, TASK, AT + 200, 0, CHANGES(SLEEP(AT + 100, 0), WAKE(AT + 200, 1)));
	put_watermark(&tape, AT + 250);
	put_changes(&tape, TASK, AT + 500, 3, CHANGES(SLEEP(AT + 400, 1), WAKE(AT + 500, 1)));
	hear_moments();
	assert_moments(TASK, 3,
		       (const uint64_t[][3]){{100, 200, COMPONENT_BLOCKED},
					     {200, 400, COST_UNKNOWN},
					     {400, 500, COMPONENT_BLOCKED}});
}

/* A thread has ended, and a new one has its number: between the two there was none. */
TEST(another_thread_of_the_number_is_apart)
{
	put_changes(&tape, TASK, AT + 200, 7, CHANGES(RUN(AT + 100, 0), SLEEP(AT + 200, 0)));
	put_changes(&tape, TASK, AT + 900, 0, CHANGES(WAKE(AT + 800, 1), SWITCH(AT + 900, 1)));
	hear_moments();
	assert_moments(
		TASK, 2,
		(const uint64_t[][3]){{100, 200, COST_ON_CPU}, {800, 900, COMPONENT_RUNQUEUE}});
}

/*
 *	stamp   send queued wake                         switch      recv
 *	  0      100  200    250   IRQ 300..400   TASK    600         700
 */
static void put_waiting(void)
{
	put_roles();
	put_changes(&tape, tid_of(1), AT + 50, 0, CHANGES(SLEEP(AT - 100, 0)));
	put_send(&tape, SERVER, 1, 0, AT + 100, AT + 200);
	put_slice(&tape, make_irq(0, 0, 7, AT + 300, AT + 400));
	put_slice(&tape, make_task(0, 1, TASK, AT + 600));
	put_receive(&tape, tid_of(1), 1, 0, AT - 200, AT + 700, 1,
		    CHANGES(WAKE(AT + 250, 0), SWITCH(AT + 600, 0), RUN(AT + 610, 0)));
	put_stamp(&tape, 1, 0, AT, AT + 750);
}

TEST(waits_have_their_pieces_in_the_order_of_time)
{
	put_waiting();
	hear_moments();
	assert_int_equal(messages, 1);
	assert_int_equal(wait_cnt, 3);
	assert_int_equal(wait[0].from_ns, AT + 250);
	assert_int_equal(wait[0].to_ns, AT + 300);
	assert_int_equal(wait[0].by.tid, TASK);
	assert_int_equal(wait[1].to_ns, AT + 400);
	assert_int_equal(wait[1].by.class, BLAME_IRQ);
	assert_int_equal(wait[2].to_ns, AT + 600);
	assert_int_equal(wait[2].by.tid, TASK);
	for (uint32_t i = 0; i < wait_cnt; i++)
		assert_int_equal(wait[i].role, CAUSE_RAN);
}

/* The slice of TASK is missing: the count of the CPU's slices shows that. */
TEST(what_ran_without_a_record_is_unknown)
{
	put_roles();
	put_changes(&tape, tid_of(1), AT + 50, 0, CHANGES(SLEEP(AT - 100, 0)));
	put_send(&tape, SERVER, 1, 0, AT + 100, AT + 200);
	put_slice(&tape, make_task(0, 0, 0, AT + 240));
	put_slice(&tape, make_irq(0, 1, 7, AT + 300, AT + 400));
	put_slice(&tape, make_task(0, 3, tid_of(1), AT + 900));
	put_receive(&tape, tid_of(1), 1, 0, AT - 200, AT + 700, 1,
		    CHANGES(WAKE(AT + 250, 0), SWITCH(AT + 600, 0), RUN(AT + 610, 0)));
	put_stamp(&tape, 1, 0, AT, AT + 750);
	hear_moments();
	assert_int_equal(messages, 1);
	for (uint32_t i = 0; i < wait_cnt; i++)
		assert_int_equal(wait[i].role,
				 wait[i].by.class == BLAME_IRQ ? CAUSE_RAN : CAUSE_UNKNOWN);
	assert_true(wait_cnt >= 2);
	assert_int_equal(wait[0].from_ns, AT + 250);
	assert_int_equal(wait[wait_cnt - 1].to_ns, AT + 600);
}
