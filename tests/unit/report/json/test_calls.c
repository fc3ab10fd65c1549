/* SPDX-License-Identifier: BSD-2-Clause */
/* The JSON fields of calls, throughput and fairness. */
#include "support/build.h"
#include "support/json_report.h"

#include <jansson.h>

TEST(calls_flow_and_fairness_have_all_their_fields)
{
	static const char *const typed[] = {
		"i calls.count",
		"0 calls.guessed",
		"0 calls.ambiguous",
		"0 calls.unasked",
		"S calls.round_trip_ns",
		"S calls.request_ns",
		"S calls.service_ns",
		"i calls.service_ns.states_ns.count",
		"n calls.service_ns.states_ns.on_cpu",
		"n calls.service_ns.states_ns.runqueue",
		"n calls.service_ns.states_ns.blocked",
		"S calls.response_ns",
		"S calls.from_due_ns",
		"S from_due_ns",
		"i flow.messages",
		"i flow.bytes",
		"n flow.seconds",
		"n flow.messages_per_second",
		"n flow.bytes_per_second",
		"i flow.signals.sent",
		"i flow.signals.delivered",
		"i flow.signals.merged",
		"i fairness.shortest_ns",
		"i fairness.longest_ns",
		"n fairness.spread",
		"i fairness.gap_ns",
		"i fairness.client",
		"i clients.1.time_ns",
		"i clients.1.gap_ns",
		"i integrity.corrupt",
		"0 rounds",
	};
	struct summary *summary = sample_paced("request", 2);
	json_t *json;

	stat_add(&summary->calls.from_due, 1);
	stat_add(&summary->from_due, 1);
	summary->flow.wakes_sent = 7;
	summary->flow.wakes_delivered = 4;
	json = json_report(summary);
	assert_types(json, typed, ARRAY_SIZE(typed));
	assert_int_equal(json_number_at(json, "calls.count"), 200);
	assert_int_equal(json_number_at(json, "calls.service_ns.states_ns.runqueue"), 400);
	assert_int_equal(json_number_at(json, "flow.messages_per_second"), 100000);
	assert_int_equal(json_number_at(json, "flow.signals.merged"), 3);
	assert_int_equal(json_number_at(json, "fairness.client"), 2);
	assert_int_equal(json_number_at(json, "fairness.gap_ns"), 2002000);
	assert_int_equal(json_number_at(json, "clients.1.time_ns"), 120000000);
}

TEST(calls_without_a_cut_service_are_counted_by_reason)
{
	struct summary *summary = sample_paced("request", 2);
	json_t *json, *uncut;

	summary->calls.state_cnt = summary->calls.count - 12;
	summary->calls.handed_over = 10;
	json = json_report(summary);
	uncut = json_object_get(json_object_get(json, "calls"), "service_not_cut");
	assert_int_equal(json_integer_value(json_object_get(uncut, "another_thread")), 10);
	assert_int_equal(json_integer_value(json_object_get(uncut, "history_lost")), 2);
	summary->info.traced = false;
	json = json_report(summary);
	assert_true(
		json_is_null(json_object_get(json_object_get(json, "calls"), "service_not_cut")));
}

TEST(an_attach_counts_its_ambiguous_calls)
{
	struct summary *summary = sample_paced("request", 2);
	json_t *json;

	summary->info.mode = MODE_ATTACH;
	summary->calls.guessed = 12;
	summary->calls.ambiguous = 23;
	summary->calls.unasked = 34;
	json = json_report(summary);
	assert_int_equal(json_number_at(json, "calls.guessed"), 12);
	assert_int_equal(json_number_at(json, "calls.ambiguous"), 23);
	assert_int_equal(json_number_at(json, "calls.unasked"), 34);
}

/* They are counted also without a round. */
TEST(an_attach_counts_messages_of_possible_rounds)
{
	struct summary *summary = sample_paced("request", 2);
	json_t *json;

	summary->info.mode = MODE_ATTACH;
	summary->rounds.given_up = 12;
	json = json_report(summary);
	assert_int_equal(json_number_at(json, "rounds.count"), 0);
	assert_int_equal(json_number_at(json, "rounds.given_up"), 12);
}

TEST(parts_of_calls_that_were_not_measured_are_null)
{
	static const char *const typed[] = {
		"o calls",        "0 calls.from_due_ns", "0 calls.service_ns.states_ns",
		"0 flow.signals", "0 fairness",
	};
	struct summary *summary = sample_paced("pingpong", 1);

	summary->calls.state_cnt = 0;
	assert_types(json_report(summary), typed, ARRAY_SIZE(typed));
}

TEST(the_syscalls_that_threads_slept_in_have_names)
{
	struct summary *summary = sample_attach();
	json_t *json;

	blocked_calls_add(&summary->blocked, 202, 300, 2);
	blocked_calls_add(&summary->blocked, 0, 100, 5);
	blocked_calls_add(&summary->calls.blocked, 230, 50, 1);
	json = json_report(summary);
	assert_int_equal(json_array_size(json_at(json, "blocked_on")), 2);
	assert_text_at(json, "blocked_on.0.call", "futex");
	assert_int_equal(json_number_at(json, "blocked_on.0.ns"), 300);
	assert_int_equal(json_number_at(json, "blocked_on.0.messages"), 2);
	assert_text_at(json, "blocked_on.1.call", "read");
	assert_true(json_real_value(json_at(json, "blocked_on.1.share")) == 0.25);
	assert_text_at(json, "calls.blocked_on.0.call", "clock_nanosleep");
	assert_int_equal(json_number_at(json, "calls.blocked_on.0.calls"), 1);
}

TEST(services_have_all_their_fields)
{
	static const char *const typed[] = {
		"S calls.response_first_ns",
		"S calls.open_several",
		"i calls.undecided",
		"i calls.in_parts",
		"a calls.services",
		"i calls.services.0.service.pid",
		"s calls.services.0.service.comm",
		"s calls.services.0.channel",
		"s calls.services.0.transport",
		"i calls.services.0.client.pid",
		"i calls.services.0.count",
		"i calls.services.0.open_several",
		"i calls.services.0.ambiguous",
		"i calls.services.0.guessed",
		"n calls.services.0.per_second",
		"S calls.services.0.round_trip_ns",
		"S calls.services.0.service_ns",
		"n calls.services.0.states_ns.on_cpu",
		"n calls.services.0.states_known_pct",
		"0 calls.services.1.client",
		"0 calls.services.1.states_ns",
		"0 calls.services.1.states_known_pct",
	};
	struct summary *summary = sample_attach();
	json_t *json;

	sample_services(summary);
	summary->duration_s = 2;
	json = json_report(summary);
	assert_types(json, typed, ARRAY_SIZE(typed));
	assert_int_equal(json_number_at(json, "calls.open_several.count"), 1);
	assert_int_equal(json_number_at(json, "calls.undecided"), 3);
	assert_int_equal(json_number_at(json, "calls.in_parts"), 4);
	assert_text_at(json, "calls.services.0.channel", "/run/x.sock");
	assert_int_equal(json_number_at(json, "calls.services.0.count"), 4);
	assert_int_equal(json_number_at(json, "calls.services.0.per_second"), 2);
	assert_int_equal(json_number_at(json, "calls.services.0.states_ns.on_cpu"), 2000);
	assert_int_equal(json_number_at(json, "calls.services.0.states_known_pct"), 75);
	assert_int_equal(json_number_at(json, "calls.services.1.open_several"), 2);
}

static struct service_summary row(uint32_t server, uint32_t client, const char *name, uint64_t ns)
{
	struct service_summary row = {.server = {.pid = server, .tid = server, .comm = "worker"},
				      .client = {.pid = client, .tid = client, .comm = "client"},
				      .count = 1};

	snprintf(row.name, sizeof(row.name), "%s", name);
	stat_add(&row.round_trip, ns);
	return row;
}

/* Two workers and their clients; one worker asks the other; a service of another name. */
TEST(a_service_is_whole_with_all_its_workers_and_clients)
{
	static const char *const typed[] = {
		"a calls.whole_services",           "i calls.whole_services.0.clients",
		"0 calls.whole_services.0.client",  "s calls.whole_services.1.client.comm",
		"0 calls.whole_services.2.clients", "S calls.whole_services.0.round_trip_ns"};
	struct service_summary *rows;
	struct summary *summary = sample_attach();
	json_t *json;

	rows = calloc(6, sizeof(*rows));
	assert_non_null(rows);
	rows[0] = row(10, 11, "/run/x.sock", 90); /* to itself */
	rows[1] = row(10, 20, "/run/x.sock", 1000);
	rows[2] = row(11, 20, "/run/x.sock", 3000);
	rows[3] = row(11, 21, "/run/x.sock", 2000);
	rows[4] = row(10, 20, "/run/y.sock", 500);
	rows[5] = row(30, 0, "/run/z.sock", 700); /* clients that are not told apart */
	summary->calls.service_of = rows;
	summary->calls.service_cnt = 6;
	json = json_report(summary);
	assert_types(json, typed, ARRAY_SIZE(typed));
	assert_int_equal(json_array_size(json_at(json, "calls.services")), 6);
	assert_int_equal(json_array_size(json_at(json, "calls.whole_services")), 3);
	assert_int_equal(json_number_at(json, "calls.whole_services.0.count"), 3);
	assert_int_equal(json_number_at(json, "calls.whole_services.0.processes"), 2);
	assert_int_equal(json_number_at(json, "calls.whole_services.0.clients"), 2);
	assert_int_equal(json_number_at(json, "calls.whole_services.0.round_trip_ns.p50"), 2000);
	assert_text_at(json, "calls.whole_services.1.channel", "/run/y.sock");
	assert_int_equal(json_number_at(json, "calls.whole_services.1.processes"), 1);
}

TEST(rates_are_those_of_the_traced_time)
{
	static const char *const typed[] = {
		"s tracing.began.utc",          "i tracing.began.unix_ns",
		"i tracing.began.monotonic_ns", "i tracing.began.utc_offset_s",
		"i tracing.duration_ns",        "n tracing.messages_per_second",
		"n tracing.calls_per_second",
	};
	struct summary *summary = sample_attach();
	json_t *json;

	sample_services(summary);
	sample_times(summary);
	json = json_report(summary);
	assert_types(json, typed, ARRAY_SIZE(typed));
	assert_text_at(json, "tracing.began.utc", "2026-11-26T06:31:48.352334929Z");
	assert_int_equal(json_number_at(json, "tracing.began.monotonic_ns"), 5000000000);
	assert_int_equal(json_number_at(json, "tracing.duration_ns"), 10000000000);
	assert_int_equal(json_number_at(json, "tracing.messages_per_second"), 23);
	assert_true(json_real_value(json_at(json, "calls.services.0.per_second")) == 0.4);
	summary->info.begin = (struct begin){0};
	summary->all_left = false;
	json = json_report(summary);
	assert_null_at(json, "tracing.began");
	assert_null_at(json, "tracing.duration_ns");
	assert_null_at(json, "tracing.messages_per_second");
}

TEST(children_that_are_not_traced_are_named)
{
	struct summary *summary = sample_attach();
	json_t *json;

	assert_null_at(json_report(summary), "tracing.untraced");
	summary->info.untraced = (struct untraced){5, {{11, "worker"}, {12, "worker"}, {13, "x"}}};
	json = json_report(summary);
	assert_int_equal(json_number_at(json, "tracing.untraced.count"), 5);
	assert_int_equal(json_array_size(json_at(json, "tracing.untraced.named")), 3);
	assert_int_equal(json_number_at(json, "tracing.untraced.named.2.pid"), 13);
	assert_text_at(json, "tracing.untraced.named.2.comm", "x");
}

TEST(what_was_found_at_the_end_has_all_its_fields)
{
	static const char *const typed[] = {
		"i found.targets",   "i found.connections", "i found.services", "i found.elsewhere",
		"s found.transport", "s found.name",        "0 found.now",
	};
	struct summary *summary = sample_attach();
	json_t *json;

	assert_null_at(json_report(summary), "found");
	sample_found(summary);
	json = json_report(summary);
	assert_types(json, typed, ARRAY_SIZE(typed));
	assert_int_equal(json_number_at(json, "found.elsewhere"), 12);
	summary->found.now = (struct end_summary){.pid = 4712, .comm = "postgres"};
	json = json_report(summary);
	assert_int_equal(json_number_at(json, "found.now.pid"), 4712);
	assert_text_at(json, "found.now.comm", "postgres");
}

/* At level light the client's own clock shows more than the round trip. */
TEST(the_instants_of_a_round_trip_are_named)
{
	static const struct {
		enum mode mode;
		enum level level;
		const char *begin, *end;
	} instants[] = {
		{MODE_ATTACH, LEVEL_FULL, "send", "recv"},
		{MODE_ATTACH, LEVEL_LIGHT, "queued", "taken"},
		{MODE_RUN, LEVEL_FULL, "stamp", "user"},
		{MODE_RUN, LEVEL_LIGHT, "stamp", "user"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(instants); i++) {
		struct summary *summary = sample_attach();
		json_t *json;

		summary->info.mode = instants[i].mode;
		summary->info.level = instants[i].level;
		json = json_report(summary);
		assert_text_at(json, "calls.begin_at", instants[i].begin);
		assert_text_at(json, "calls.end_at", instants[i].end);
	}
}

TEST(a_run_has_no_services)
{
	static const char *const typed[] = {"0 calls.services", "0 calls.open_several",
					    "0 calls.response_first_ns", "0 calls.in_parts"};
	struct summary *summary = sample_paced("request", 2);

	assert_types(json_report(summary), typed, ARRAY_SIZE(typed));
}
