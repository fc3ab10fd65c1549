/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random runs. The analysis has to come to the same figures as the simulation's ledger, in whatever
 * order it gets the records, and to no wrong one if some are lost.
 */
#include "support/altered_tape.h"
#include "support/build.h"
#include "support/same_summary.h"
#include "support/simulation.h"

#include "analysis/history/cpu_slices.h"
#include "model/record_decode.h"

/* ---- What the analysis has to report ---- */

static const struct truth *truth_of(const struct simulation *m, const struct message *message)
{
	for (size_t i = 0; i < m->truth_cnt; i++) {
		const struct truth *truth = &m->truth[i];

		if (truth->client == message->client &&
		    truth->round == message->round + m->plan.warmup)
			return truth;
	}
	fail_msg("client %u was sent no message in round %lu", message->client,
		 (unsigned long)message->round);
	return NULL;
}

static void check_components(const struct message *message, const struct truth *truth)
{
	uint64_t at_ns = truth->stamp_ns;

	assert_int_equal(message->stamp_ns, truth->stamp_ns);
	assert_int_equal(message->send_ns, truth->send_ns);
	assert_int_equal(message->queued_ns, truth->queued_ns);
	assert_int_equal(message->recv_ns, truth->recv_ns);
	assert_int_equal(message->user_ns, truth->user_ns);
	assert_int_equal(message->latency_ns, truth->user_ns - truth->stamp_ns);
	assert_int_equal(message->path, truth->path);
	for (int i = 0; i < NR_COMPONENTS; i++)
		assert_int_equal(message->component_ns[i], truth->component_ns[i]);
	assert_int_equal(sum_of(message->component_ns, NR_COMPONENTS), message->latency_ns);
	for (uint32_t i = 0; i < message->segment_cnt; i++) {
		assert_int_equal(message->segment[i].from_ns, at_ns);
		assert_true(message->segment[i].to_ns > at_ns);
		at_ns = message->segment[i].to_ns;
	}
	assert_int_equal(at_ns, truth->user_ns);
}

static uint64_t guilt(const struct truth *truth, const struct blame *blame)
{
	for (uint32_t i = 0; i < truth->blamed_cnt; i++) {
		if (truth->blamed[i].kind == blame->kind && truth->blamed[i].tid == blame->tid)
			return truth->blamed[i].ns;
	}
	return 0;
}

/* Shares add up and blame no thread wrongly; some can be unknown. */
static void check_blame(const struct message *message, const struct truth *truth)
{
	uint64_t sum_ns = 0;

	for (uint32_t i = 0; i < message->blame_cnt; i++) {
		const struct blame *blame = &message->blame[i];

		sum_ns += blame->ns;
		assert_true(blame->ns > 0);
		if (i)
			assert_true(blame->ns <= message->blame[i - 1].ns);
		if (blame->class != BLAME_UNKNOWN)
			assert_true(blame->ns <= guilt(truth, blame));
	}
	assert_int_equal(sum_ns, message->component_ns[COMPONENT_RUNQUEUE]);
}

static enum blame_class class_of(const struct blame *blame)
{
	if (blame->kind == SHARE_THROTTLED)
		return BLAME_THROTTLED;
	if (blame->kind != SLICE_TASK)
		return blame->kind == SLICE_IRQ ? BLAME_IRQ : BLAME_SOFTIRQ;
	switch (blame->tid) {
	case 0:
		return BLAME_IDLE;
	case SERVER_TID:
		return BLAME_SERVER;
	case SPINNER_TID:
		return BLAME_TASK;
	case KTHREAD_TID:
		return BLAME_KTHREAD;
	default:
		return BLAME_CLIENT;
	}
}

/* No record is lost: all blame is known, by class, name and nanosecond. */
static void check_whole_blame(const struct simulation *m, const struct message *message,
			      const struct truth *truth)
{
	assert_int_equal(message->blame_cnt, truth->blamed_cnt);
	for (uint32_t i = 0; i < message->blame_cnt; i++) {
		const struct blame *blame = &message->blame[i];

		assert_int_equal(blame->ns, guilt(truth, blame));
		assert_int_equal(blame->class, class_of(blame));
		for (unsigned int k = 0; k < m->threads && blame->kind == SLICE_TASK; k++) {
			if (m->thread[k].tid == blame->tid)
				assert_string_equal(blame->comm, m->thread[k].comm);
		}
	}
}

static void check_integrity(const struct hearing *heard)
{
	assert_int_equal(accounted(&heard->summary->integrity), heard->summary->integrity.sent);
	assert_int_equal(heard->summary->integrity.matched, heard->cnt);
	assert_int_equal(heard->summary->integrity.residual_ns_max, 0);
}

static void check_whole_run(const struct simulation *m, const struct hearing *heard)
{
	uint64_t sent = 0, received = 0;

	for (size_t i = 0; i < m->truth_cnt; i++) {
		sent += m->truth[i].round >= m->plan.warmup;
		received += m->truth[i].round >= m->plan.warmup && m->truth[i].user_ns;
	}
	check_integrity(heard);
	assert_int_equal(heard->summary->integrity.sent, sent);
	assert_int_equal(heard->cnt, received);
	for (size_t i = 0; i < heard->cnt; i++) {
		const struct truth *truth = truth_of(m, &heard->message[i]);

		check_components(&heard->message[i], truth);
		check_blame(&heard->message[i], truth);
		check_whole_blame(m, &heard->message[i], truth);
	}
}

static void check_damaged_run(const struct simulation *m, const struct hearing *heard)
{
	check_integrity(heard);
	for (size_t i = 0; i < heard->cnt; i++) {
		const struct truth *truth = truth_of(m, &heard->message[i]);

		check_components(&heard->message[i], truth);
		check_blame(&heard->message[i], truth);
	}
}

/* ---- The tests ---- */

#define RUNS 40

TEST(every_nanosecond_of_every_message_is_where_it_was)
{
	for (uint64_t seed = 1; seed <= RUNS; seed++) {
		struct plan plan = random_plan(seed);
		struct simulation *m = simulation_run(&plan);
		struct run_info info = simulation_info(m);
		struct hearing heard = hear(&info, &m->tape);

		check_whole_run(m, &heard);
		hearing_free(&heard);
		simulation_free(m);
	}
}

/* What the random runs contain: they must not lose their variety unnoticed. */
struct menagerie {
	uint64_t component_ns[NR_COMPONENTS];
	uint64_t path[NR_PATHS];
	uint64_t blame_ns[NR_BLAME_CLASSES];
	uint64_t change[NR_CHANGE_KINDS];
	uint64_t changes_records;
	uint64_t received_before_queued;
	uint64_t waiting_messages; /* queued while the client has another one to receive */
};

static void count_changes(struct menagerie *all, const struct record *record)
{
	const uint64_t *change = NULL;
	size_t cnt = 0;

	if (record->type == RECORD_RECEIVE)
		change = receive_changes((const void *)record, &cnt);
	else if (record->type == RECORD_CHANGES)
		change = changes_changes((const void *)record, &cnt);
	for (size_t i = 0; i < cnt; i++)
		all->change[change[i] >> (CHANGE_TIME_BITS + CHANGE_CPU_BITS)]++;
	all->changes_records += record->type == RECORD_CHANGES;
}

static void count_message(struct menagerie *all, const struct message *message,
			  const struct truth *truth)
{
	for (int i = 0; i < NR_COMPONENTS; i++)
		all->component_ns[i] += message->component_ns[i];
	for (uint32_t i = 0; i < message->blame_cnt; i++)
		all->blame_ns[message->blame[i].class] += message->blame[i].ns;
	all->path[message->path]++;
	all->received_before_queued += !truth->reported;
	for (uint32_t i = 0; i < truth->booking_cnt; i++)
		all->waiting_messages += truth->booking[i].call != truth->booking[0].call;
}

static void assert_at_least(uint64_t least, const uint64_t *value, size_t cnt)
{
	while (cnt--)
		assert_true(value[cnt] >= least);
}

TEST(random_runs_have_a_bit_of_everything)
{
	struct menagerie all = {0};

	for (uint64_t seed = 1; seed <= RUNS; seed++) {
		struct plan plan = random_plan(seed);
		struct simulation *m = simulation_run(&plan);
		struct run_info info = simulation_info(m);
		struct hearing heard = hear(&info, &m->tape);

		for (size_t i = 0; i < m->tape.cnt; i++)
			count_changes(&all, m->tape.record[i]);
		for (size_t i = 0; i < heard.cnt; i++)
			count_message(&all, &heard.message[i], truth_of(m, &heard.message[i]));
		hearing_free(&heard);
		simulation_free(m);
	}
	assert_at_least(10000, all.component_ns, COMPONENT_ROOM);
	assert_int_equal(all.component_ns[COMPONENT_ROOM],
			 0); /* no sender of these waits for room */
	assert_at_least(10000, &all.component_ns[COMPONENT_ROOM + 1],
			NR_COMPONENTS - COMPONENT_ROOM - 1);
	assert_at_least(50, all.path, NR_PATHS);
	assert_at_least(10000, all.blame_ns, BLAME_UNKNOWN);
	assert_at_least(100, all.change + CHANGE_SLEEP, CHANGE_RUN);
	assert_at_least(100, &all.change[CHANGE_THROTTLE], 1);
	assert_at_least(10, &all.changes_records, 1);
	assert_at_least(10, &all.received_before_queued, 1);
	assert_at_least(10, &all.waiting_messages, 1);
	assert_int_equal(all.blame_ns[BLAME_UNKNOWN], 0);
}

TEST(watermarks_change_nothing)
{
	for (uint64_t seed = 1; seed <= RUNS; seed++) {
		struct plan plan = random_plan(seed);
		struct simulation *m = simulation_run(&plan);
		struct run_info info = simulation_info(m);
		struct hearing one = hear(&info, &m->tape);

		for (uint64_t i = 0; i < 3; i++) {
			struct tape tape = tape_watermarked(&m->tape, 1000 * seed + i);
			struct hearing other = hear(&info, &tape);

			check_whole_run(m, &other);
			assert_same_summary(one.summary, other.summary);
			hearing_free(&other);
			tape_free(&tape);
		}
		hearing_free(&one);
		simulation_free(m);
	}
}

TEST(the_order_of_the_records_changes_nothing)
{
	for (uint64_t seed = 1; seed <= RUNS; seed++) {
		struct plan plan = random_plan(seed);
		struct simulation *m = simulation_run(&plan);
		struct run_info info = simulation_info(m);
		struct tape marked = tape_watermarked(&m->tape, seed);
		struct hearing one = hear(&info, &marked);

		for (uint64_t i = 0; i < 3; i++) {
			struct tape tape = tape_shuffled(&m->tape, 1000 * seed + i);
			struct hearing other = hear(&info, &tape);

			check_whole_run(m, &other);
			assert_same_summary(one.summary, other.summary);
			hearing_free(&other);
			tape_free(&tape);
		}
		tape_free(&marked);
		hearing_free(&one);
		simulation_free(m);
	}
}

TEST(messages_come_in_the_order_of_their_receive)
{
	for (uint64_t seed = 1; seed <= RUNS; seed++) {
		struct plan plan = random_plan(seed);
		struct simulation *m = simulation_run(&plan);
		struct run_info info = simulation_info(m);
		struct tape tape = tape_shuffled(&m->tape, seed);
		struct hearing heard = hear(&info, &tape);

		for (size_t i = 1; i < heard.cnt; i++)
			assert_true(heard.message[i - 1].recv_ns <= heard.message[i].recv_ns);
		hearing_free(&heard);
		tape_free(&tape);
		simulation_free(m);
	}
}

static void hear_damaged(struct simulation *m, const struct tape *tape, uint64_t *seed)
{
	struct run_info info = simulation_info(m);
	struct tape marked = tape_watermarked(tape, random_next(seed));
	struct tape mixed = tape_shuffled(tape, random_next(seed));
	struct hearing heard = hear(&info, &marked);

	check_damaged_run(m, &heard);
	hearing_free(&heard);
	heard = hear(&info, &mixed);
	check_damaged_run(m, &heard);
	hearing_free(&heard);
	tape_free(&marked);
	tape_free(&mixed);
}

static void check_losses(record_kind_fn *is_kind)
{
	static const size_t holes[] = {1, 2, 5, 20, 100};

	for (uint64_t seed = 1; seed <= RUNS; seed++) {
		struct plan plan = random_plan(seed);
		struct simulation *m = simulation_run(&plan);
		uint64_t dice = seed;

		for (size_t i = 0; i < ARRAY_SIZE(holes); i++) {
			struct tape tape = tape_damaged(&m->tape, is_kind, holes[i], &dice);

			hear_damaged(m, &tape, &dice);
			tape_free(&tape);
		}
		simulation_free(m);
	}
}

static bool is_send(const struct record *record)
{
	return record->type == RECORD_SEND;
}

static bool is_receive(const struct record *record)
{
	return record->type == RECORD_RECEIVE || record->type == RECORD_CHANGES;
}

static bool is_stamp(const struct record *record)
{
	return record->type == RECORD_STAMP;
}

static bool is_tick(const struct record *record)
{
	return record->type == RECORD_TICK;
}

static bool is_task_slice(const struct record *record)
{
	return record->type == RECORD_SLICE &&
	       ((const struct record_slice *)record)->kind == SLICE_TASK;
}

static bool is_irq_slice(const struct record *record)
{
	return record->type == RECORD_SLICE && !is_task_slice(record);
}

static bool is_name(const struct record *record)
{
	return record->type == RECORD_NAME || record->type == RECORD_ROLE;
}

static bool is_any(const struct record *record)
{
	return true;
}

TEST(lost_sends_make_no_figure_wrong)
{
	check_losses(is_send);
}

TEST(lost_receives_make_no_figure_wrong)
{
	check_losses(is_receive);
}

TEST(lost_stamps_make_no_figure_wrong)
{
	check_losses(is_stamp);
}

TEST(lost_ticks_make_no_figure_wrong)
{
	check_losses(is_tick);
}

TEST(lost_task_slices_blame_no_task_wrongly)
{
	check_losses(is_task_slice);
}

TEST(lost_interrupt_slices_blame_no_task_wrongly)
{
	check_losses(is_irq_slice);
}

TEST(lost_names_and_roles_make_no_figure_wrong)
{
	check_losses(is_name);
}

static bool loss_is_noticed(const struct record *record)
{
	return !is_tick(record) && !is_irq_slice(record);
}

TEST(lost_records_of_most_kinds_make_no_figure_wrong)
{
	check_losses(loss_is_noticed);
}

TEST(lost_records_of_all_kinds_make_no_figure_wrong)
{
	check_losses(is_any);
}
