/* SPDX-License-Identifier: BSD-2-Clause */
/* The JSON report of an attach: its channels and their ends. */
#include "support/build.h"
#include "support/json_report.h"

#include <jansson.h>

TEST(an_attach_has_channels_and_no_workload)
{
	static const char *const typed[] = {
		"i channels.0.id",           "s channels.0.transport",
		"s channels.0.name",         "i channels.0.channels",
		"i channels.0.sender.pid",   "s channels.0.sender.comm",
		"i channels.0.receiver.pid", "i channels.0.messages",
		"i channels.0.bytes",        "S channels.0.latency_ns",
		"i channels.0.calls",        "o channels.0.components_ns",
		"S components_ns.wakeup",    "i matches.resynced",
		"i integrity.elsewhere"};
	struct summary *summary = sample_attach();
	json_t *json;

	summary->integrity.match[MATCH_RESYNCED] = 2;
	summary->integrity.elsewhere = 17;
	summary->integrity.incomplete[INCOMPLETE_UNKNOWN_START] = 4;
	summary->integrity.incomplete[INCOMPLETE_NOT_TRACED] = 5;
	summary->channel[0].sender.tid = TID_OUTSIDE | 812;
	json = json_report(summary);
	assert_types(json, typed, ARRAY_SIZE(typed));
	assert_text_at(json, "mode", "attach");
	assert_null_at(json, "workload");
	assert_true(json_is_true(json_at(json, "channels.0.sender.outside")));
	assert_true(json_is_false(json_at(json, "channels.0.receiver.outside")));
	assert_null_at(json, "components_ns.dispatch");
	assert_null_at(json, "components_ns.return");
	assert_null_at(json, "channels.0.components_ns.dispatch");
	assert_null_at(json, "channels.0.components_ns.return");
	assert_true(json_is_number(json_at(json, "channels.0.components_ns.receive")));
	assert_int_equal(json_number_at(json, "integrity.elsewhere"), 17);
	assert_int_equal(json_number_at(json, "integrity.incomplete.unknown_start"), 4);
	assert_int_equal(json_number_at(json, "integrity.incomplete.not_traced"), 5);
	assert_int_equal(json_number_at(json, "matches.exact"), 2 * SAMPLE_ROUNDS + 30);
	assert_int_equal(json_number_at(json, "matches.resynced"), 2);
	assert_int_equal(json_number_at(json, "matches.ambiguous"), 0);
	assert_int_equal(json_number_at(json, "matches.approximate"), 0);
	assert_int_equal(json_number_at(json, "calls.count"), SAMPLE_ROUNDS);
}

TEST(channels_name_their_sender_and_receiver)
{
	struct summary *summary = sample_attach();
	json_t *json = json_report(summary);

	assert_int_equal(json_array_size(json_at(json, "channels")), 3);
	assert_int_equal(json_number_at(json, "channels.0.id"), 7);
	assert_text_at(json, "channels.0.transport", "uds-stream");
	assert_text_at(json, "channels.0.name", "/run/x.sock");
	assert_int_equal(json_number_at(json, "channels.0.channels"), 1);
	assert_int_equal(json_number_at(json, "channels.0.sender.pid"), 812);
	assert_text_at(json, "channels.0.sender.comm", "psql");
	assert_int_equal(json_number_at(json, "channels.0.receiver.pid"), 700);
	assert_text_at(json, "channels.0.receiver.comm", "postgres");
	assert_int_equal(json_number_at(json, "channels.0.messages"), SAMPLE_ROUNDS);
	assert_int_equal(json_number_at(json, "channels.0.bytes"), 64 * SAMPLE_ROUNDS);
	assert_int_equal(json_number_at(json, "channels.0.calls"), SAMPLE_ROUNDS);
	assert_int_equal(json_number_at(json, "channels.0.latency_ns.count"), SAMPLE_ROUNDS);
	assert_int_equal(json_number_at(json, "channels.1.calls"), 0);
}

TEST(channels_that_were_folded_have_no_ends)
{
	struct summary *summary = sample_attach();
	json_t *json = json_report(summary);

	assert_text_at(json, "channels.2.name", "other");
	assert_int_equal(json_number_at(json, "channels.2.channels"), 3);
	assert_int_equal(json_number_at(json, "channels.2.messages"), 30);
	assert_null_at(json, "channels.2.id");
	assert_null_at(json, "channels.2.transport");
	assert_null_at(json, "channels.2.sender");
	assert_null_at(json, "channels.2.receiver");
}

/* There is no record of its thread. */
TEST(an_end_that_is_not_known_is_null)
{
	struct summary *summary = sample_attach();
	json_t *json;

	summary->channel[0].sender = (struct end_summary){0};
	summary->channel[0].transport = 0;
	summary->channel[0].name[0] = '\0';
	json = json_report(summary);
	assert_null_at(json, "channels.0.sender.pid");
	assert_null_at(json, "channels.0.sender.comm");
	assert_null_at(json, "channels.0.transport");
	assert_null_at(json, "channels.0.name");
}

TEST(a_run_is_no_attach)
{
	json_t *json = json_report_of_sample(2);

	assert_text_at(json, "mode", "run");
	assert_null_at(json, "integrity.elsewhere");
	assert_null_at(json, "blocked_on");
	assert_string_equal(mode_names[MODE_RUN], "run");
	assert_string_equal(mode_names[MODE_ATTACH], "attach");
}
