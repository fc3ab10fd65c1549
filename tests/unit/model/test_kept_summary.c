/* SPDX-License-Identifier: BSD-2-Clause */
/* The statistics in a recording of windows are read back as they were written, or not at all. */
#include "support/attached_chains.h"
#include "support/attached_rounds.h"
#include "support/build.h"
#include "support/capture.h"
#include "support/sample.h"

#include "model/kept_summary.h"
#include "model/members/members.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int put_on_tape(void *ctx, const struct record *record)
{
	tape_add(ctx, record);
	return 0;
}

/* The result of the last record. */
static int take_all(struct kept_summary *kept, const struct tape *tape)
{
	int err = 0;

	for (size_t i = 0; i < tape->cnt; i++) {
		assert_int_equal(err, 0);
		err = kept_summary__record(kept, (const void *)tape->record[i]);
	}
	return err;
}

static struct kept_summary *kept_of(const struct run_info *info)
{
	struct kept_summary *kept = kept_summary__new(info);

	assert_non_null(kept);
	return kept;
}

/* In every format that shows summaries. */
static void assert_comes_back(struct summary *summary)
{
	static const char *const formats[] = {"text", "json"};
	struct tape tape = {0};
	struct kept_summary *kept;

	summary->info.keeps_slower_ns = 1000000;
	summary->slower_cnt = 7;
	kept = kept_of(&summary->info);
	assert_int_equal(kept_summary_write(summary, put_on_tape, &tape), 0);
	assert_null(kept_summary__summary(kept));
	assert_int_equal(take_all(kept, &tape), 0);
	assert_non_null(kept_summary__summary(kept));
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		char *before = sample_show_one(formats[i], summary);
		char *after = sample_show_one(formats[i], kept_summary__summary(kept));

		assert_string_equal(after, before);
	}
	kept_summary__free(kept);
	tape_free(&tape);
}

/* Without its last word, as an older program would have written it. */
static void cut_off(struct tape *tape)
{
	struct record_summary *last = (void *)tape->record[tape->cnt - 1];

	if (--last->head.words == RECORD_WORDS(*last))
		free(tape->record[--tape->cnt]);
	for (size_t i = 0; i < tape->cnt; i++) {
		struct record_summary *summary = (void *)tape->record[i];

		summary->left -= !!summary->left;
	}
}

/* Recordings before version 13 end before the pauses, and later ones before what came then. */
TEST(an_older_summary_has_no_pauses)
{
	const struct summary *older;
	struct tape tape = {0};
	struct kept_summary *kept;
	struct summary *summary = sample_attach();
	uint32_t ends = 0;

	sample_services(summary);
	summary->observer.has_pauses = true;
	summary->observer.pauses = 3;
	summary->observer.paused_ns = 4;
	kept = kept_of(&summary->info);
	assert_int_equal(kept_summary_write(summary, put_on_tape, &tape), 0);
	take_all(kept, &tape);
	assert_int_equal(kept_summary__summary(kept)->observer.pauses, 3);
	assert_int_equal(kept_summary__summary(kept)->observer.paused_ns, 4);
	for (older = kept_summary__summary(kept); !older || older->observer.has_pauses;) {
		cut_off(&tape);
		take_all(kept, &tape);
		older = kept_summary__summary(kept);
		ends += !!older;
	}
	assert_int_equal(ends, members_last_batch(&summary_members) - MEMBERS_MAY_END + 1);
	assert_int_equal(kept_summary__summary(kept)->observer.pauses, 0);
	assert_int_equal(kept_summary__summary(kept)->latency.count, summary->latency.count);
	kept_summary__free(kept);
	tape_free(&tape);
}

/* What no format shows as such. */
TEST(what_had_the_cpus_of_services_comes_back)
{
	const struct calls_summary *calls;
	const struct channel_summary *channel;
	struct tape tape = {0};
	struct kept_summary *kept;
	struct summary *summary = sample_attach();

	sample_services(summary);
	summary->channel[0].blame = summary->calls.parts.did.blame;
	summary->channel[0].loop = (struct loop_time){.ns = 9, .known_ns = 8, .asleep_ns = 7};
	strcpy(summary->channel[0].sender_process, "java");
	summary->calls.service_of[1].is_target = true;
	kept = kept_of(&summary->info);
	assert_int_equal(kept_summary_write(summary, put_on_tape, &tape), 0);
	take_all(kept, &tape);
	calls = &kept_summary__summary(kept)->calls;
	channel = kept_summary__summary(kept)->channel;
	assert_int_equal(calls->parts.calls, 2);
	assert_int_equal(calls->parts.ns, 3000);
	assert_int_equal(calls->parts.did.blame.cnt, 1);
	assert_int_equal(calls->service_of[0].blame.entry[0].tid, 66);
	assert_int_equal(calls->service_of[0].parts.did.state_ns[SERVICE_BLOCKED], 2400);
	assert_string_equal(channel->blame.entry[0].comm, "hog");
	assert_memory_equal(&channel->loop, &summary->channel[0].loop, sizeof(channel->loop));
	assert_string_equal(channel_process(channel, true).comm, "java");
	assert_false(calls->service_of[0].is_target);
	assert_true(calls->service_of[1].is_target);
	kept_summary__free(kept);
	tape_free(&tape);
}

TEST(rounds_with_a_period_come_back)
{
	struct summary *summary = attached_rounds();

	assert_comes_back(summary);
}

TEST(chains_come_back)
{
	struct summary *summary = attached_chains();

	assert_comes_back(summary);
}

TEST(more_than_32_bits_of_a_value_come_back)
{
	struct summary *summary = sample_paced("request", 2);

	stat_add_zeros(&summary->calls.round_trip, 5000000000);
	assert_comes_back(summary);
}

TEST(waits_for_room_and_services_come_back)
{
	struct summary *summary = sample_attach();

	sample_room(summary);
	sample_services(summary);
	sample_times(summary);
	sample_found(summary);
	summary->found.now = (struct end_summary){.pid = 4712, .comm = "postgres"};
	sample_choice(summary, CHOICE_SERVER, "nosuch");
	assert_comes_back(summary);
}

TEST(names_come_back)
{
	struct summary *summary = sample_attach();

	sample_services(summary);
	sample_names(summary);
	assert_comes_back(summary);
}

TEST(the_statistics_of_every_kind_of_run_come_back)
{
	struct summary *summary = sample_summary(5);

	assert_comes_back(summary);
	summary = sample_summary(2);
	summary->info.workload.messages = summary->rounds.count + 1;
	summary->all_left = summary->all_left_early = true;
	summary->all_left_reason = LEFT_SIGNAL;
	summary->all_left_detail = 15;
	assert_comes_back(summary);
	summary = sample_summary(1);
	summary->server_left = true;
	summary->server_left_reason = LEFT_SIGNAL;
	summary->server_left_detail = 9;
	summary->client[0].left = true;
	summary->client[0].left_reason = LEFT_EXIT;
	summary->client[0].left_round = 12;
	assert_comes_back(summary);
	summary = sample_paced("request", 3);
	assert_comes_back(summary);
	summary = sample_paced("flood", 2);
	assert_comes_back(summary);
	summary = sample_attach();
	assert_comes_back(summary);
}

/* JSON has neither a negative number nor one that is none. */
static void assert_numbers_of(const struct summary *summary)
{
	char *json = sample_show_one("json", summary);

	assert_null(strstr(json, ": -"));
	assert_true(json[0] == '{');
}

/* Random words in a file: what cannot be read is left out. */
TEST(words_that_were_damaged_do_no_harm)
{
	struct run_info info = sample_info(3);
	struct summary *summary = sample_attach();
	struct tape tape = {0};
	uint64_t seed = 7;

	assert_int_equal(kept_summary_write(summary, put_on_tape, &tape), 0);
	for (int i = 0; i < 4000; i++) {
		struct record *record = tape.record[random_below(&seed, tape.cnt)];
		uint64_t *word =
			(uint64_t *)record + RECORD_WORDS(struct record_summary) +
			random_below(&seed, record->words - RECORD_WORDS(struct record_summary));
		struct kept_summary *kept = kept_of(&info);
		uint64_t before = *word;

		*word ^= 1ULL << random_below(&seed, 64);
		take_all(kept, &tape);
		if (kept_summary__summary(kept))
			assert_numbers_of(kept_summary__summary(kept));
		kept_summary__free(kept);
		*word = before;
	}
	tape_free(&tape);
}

static void assert_refused(const struct summary *summary)
{
	struct kept_summary *kept = kept_of(&summary->info);
	struct tape tape = {0};

	assert_int_equal(kept_summary_write(summary, put_on_tape, &tape), 0);
	assert_int_equal(take_all(kept, &tape), -EINVAL);
	assert_null(kept_summary__summary(kept));
	kept_summary__free(kept);
	tape_free(&tape);
}

static struct stat stat_of(uint64_t low, uint64_t high)
{
	struct stat stat = {0};

	stat_add(&stat, low);
	stat_add(&stat, high);
	return stat;
}

/* A histogram that is not the one of the counted values made a report of percentiles endless. */
TEST(a_histogram_that_contradicts_its_sums_is_refused)
{
	for (int wrong = 0; wrong < 10; wrong++) {
		struct summary *summary = sample_paced("request", 2);
		struct stat *stat = &summary->calls.round_trip;

		stat_free(stat);
		*stat = stat_of(1000, 5000);
		stat->count += wrong == 0;
		stat->octave[0][1000] += wrong == 1;
		stat->uncounted += wrong == 2;
		stat->min += wrong == 3 ? 3000 : 0;
		stat->min -= wrong == 4 ? 10 : 0;
		stat->max += wrong == 5 ? 3000 : 0;
		stat->max -= wrong == 6 ? 3000 : 0;
		stat->sum *= wrong == 7 ? 2 : 1;
		stat->sum_of_squares /= wrong == 8 ? 3 : 1;
		stat->sum_of_squares *= wrong == 9 ? 3 : 1;
		assert_refused(summary);
	}
}

TEST(numbers_that_do_not_fit_their_outputs_are_refused)
{
	for (int wrong = 0; wrong < 9; wrong++) {
		struct summary *summary = attached_chains();

		if (wrong == 0)
			summary->integrity.sent = UINT64_MAX;
		else if (wrong == 1)
			summary->stopped_ns = 1ULL << 63;
		else if (wrong == 2)
			summary->duration_s = -1;
		else if (wrong == 3)
			summary->flow.seconds = NAN;
		else if (wrong == 4)
			summary->peaks.per_second = INFINITY;
		else if (wrong == 5)
			summary->peaks.min_ns = summary->peaks.max_ns + 1;
		else if (wrong == 6)
			summary->chain[0].hop_cnt = 0;
		else if (wrong == 7)
			summary->rounds.next_components =
				(struct component_sum){.ns[COMPONENT_BUSY] = 1};
		else
			summary->path[PATH_SLEPT] = SERIALIZER_NUMBER_MAX + 1;
		assert_refused(summary);
	}
}

TEST(a_part_alone_is_nothing)
{
	struct run_info info = sample_info(3);
	struct kept_summary *kept = kept_of(&info);
	struct summary *summary = sample_summary(5);
	struct tape tape = {0};

	assert_int_equal(kept_summary_write(summary, put_on_tape, &tape), 0);
	assert_true(tape.cnt > 2);
	tape.cnt--;
	take_all(kept, &tape);
	assert_null(kept_summary__summary(kept));
	tape.cnt++;
	kept_summary__free(kept);
	kept = kept_of(&info);
	assert_int_equal(kept_summary__record(kept, (const void *)tape.record[tape.cnt - 1]),
			 -EINVAL);
	assert_null(kept_summary__summary(kept));
	kept_summary__free(kept);
	tape_free(&tape);
}

static int refuse(void *ctx, const struct record *record)
{
	return -EIO;
}

TEST(what_cannot_be_written_is_an_error)
{
	struct summary *summary = sample_summary(1);

	assert_int_equal(kept_summary_write(summary, refuse, NULL), -EIO);
}

static int read_again(void *ctx, const struct record *record)
{
	return kept_summary__record(ctx, (const void *)record);
}

/* Memory is bounded, and a figure compares each channel with each other one. */
TEST(more_entries_than_an_analysis_lists_are_refused)
{
	static const uint32_t most[] = {SUMMARY_CHANNELS_MAX, SUMMARY_BLAMES_MAX,
					SUMMARY_SCRIPTS_MAX, SUMMARY_STEAL_MAX};

	for (size_t i = 0; i < 2 * ARRAY_SIZE(most); i++) {
		uint32_t cnt = most[i / 2] + i % 2;
		struct summary summary = {0};
		struct kept_summary *kept = kept_of(&summary.info);

		if (i / 2 == 0)
			summary.channel =
				calloc(summary.channel_cnt = cnt, sizeof(*summary.channel));
		else if (i / 2 == 1)
			summary.blame = calloc(summary.blame_cnt = cnt, sizeof(*summary.blame));
		else if (i / 2 == 2)
			summary.script = calloc(summary.script_cnt = cnt, sizeof(*summary.script));
		else
			summary.steal = calloc(summary.steal_cnt = cnt, sizeof(*summary.steal));
		assert_int_equal(kept_summary_write(&summary, read_again, kept),
				 i % 2 ? -EINVAL : 0);
		assert_int_equal(!kept_summary__summary(kept), i % 2);
		kept_summary__free(kept);
		summary_clean(&summary);
	}
}
