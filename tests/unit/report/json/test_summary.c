/* SPDX-License-Identifier: BSD-2-Clause */
/* The fields of the JSON summary, with their types; null for what is not known. */
#include "support/build.h"
#include "support/json_report.h"

#include <jansson.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>

static json_t *shown_untraced(void)
{
	return json_report(sample_untraced(2));
}

TEST(results_have_all_their_fields)
{
	static const char *const typed[] = {
		"i integrity.sent",
		"i integrity.matched",
		"i integrity.incomplete.not_received",
		"i integrity.incomplete.no_send",
		"i integrity.incomplete.no_stamp",
		"i integrity.incomplete.not_recorded",
		"i integrity.lost",
		"i integrity.residual_ns_max",
		"n observer.bpf_ns_per_message",
		"0 observer.traced_over_untraced",
		"0 observer.traced_over_untraced_interval",
		"0 observer.pairs",
		"0 observer.reader_policy",
		"0 observer.reader_hurried_ns",
		"0 observer.start_ns",
		"n observer.runqueue_share",
		"i observer.longest_wait_ns",
		"0 observer.pauses",
		"0 observer.paused_ns",
		"S latency_ns",
		"S components_ns.dispatch",
		"S components_ns.send_path",
		"S components_ns.wakeup",
		"S components_ns.runqueue",
		"S components_ns.switch",
		"S components_ns.busy",
		"S components_ns.blocked",
		"S components_ns.receive",
		"S components_ns.return",
		"i paths.slept",
		"i paths.runnable",
		"i paths.running",
		"i paths.blocked",
		"0 calls",
		"a channels",
		"0 flow",
		"0 fairness",
		"0 from_due_ns",
		"0 load",
		"i integrity.corrupt",
		"0 clients.0.time_ns",
		"0 clients.0.gap_ns",
	};
	json_t *json = json_report_of_sample(5);

	assert_types(json, typed, ARRAY_SIZE(typed));
	assert_int_equal(json_object_size(json_at(json, "integrity.incomplete")), NR_INCOMPLETES);
	assert_int_equal(json_object_size(json_at(json, "components_ns")), NR_COMPONENTS);
	assert_int_equal(json_object_size(json_at(json, "paths")), NR_PATHS);
}

TEST(rounds_peaks_blame_and_clients_have_all_their_fields)
{
	static const char *const typed[] = {
		"i rounds.count",
		"i rounds.complete",
		"0 rounds.given_up",
		"i rounds.tick_ns",
		"S rounds.first_latency_ns",
		"n rounds.first_latency_ns.components_ns.dispatch",
		"n rounds.first_latency_ns.components_ns.return",
		"S rounds.next_latency_ns",
		"n rounds.next_latency_ns.components_ns.runqueue",
		"S rounds.last_latency_ns",
		"n rounds.service_time_ns",
		"n rounds.efficiency_pct",
		"n range_ns.medium",
		"n range_ns.width",
		"i peaks.count",
		"n peaks.per_second",
		"i peaks.min_ns",
		"i peaks.max_ns",
		"a peaks.causes",
		"s blame.0.class",
		"s blame.0.comm",
		"i blame.0.tid",
		"i blame.0.ns",
		"i blame.0.messages",
		"n blame.0.share",
		"i clients.0.client",
		"i clients.0.tid",
		"s clients.0.comm",
		"S clients.0.latency_ns",
		"n clients.0.components_ns.switch",
		"n clients.4.position_mean",
	};
	json_t *json = json_report_of_sample(5);

	assert_types(json, typed, ARRAY_SIZE(typed));
	assert_int_equal(json_array_size(json_at(json, "clients")), 5);
	assert_int_equal(json_array_size(json_at(json, "blame")), 3);
	assert_int_equal(json_number_at(json, "clients.4.client"), 5);
	assert_true(json_number_at(json, "clients.4.position_mean") == 5);
	assert_text_at(json, "blame.1.class", "client");
}

TEST(the_values_are_those_of_the_summary)
{
	struct summary *summary = sample_summary(3);
	char path[64];
	json_t *json = json_report(summary);

	assert_stat_at(json, "latency_ns", &summary->latency);
	for (int i = 0; i < NR_COMPONENTS; i++) {
		snprintf(path, sizeof(path), "components_ns.%s", components[i].name);
		assert_stat_at(json, path, &summary->component[i]);
	}
	assert_stat_at(json, "rounds.first_latency_ns", &summary->rounds.first);
	assert_stat_at(json, "rounds.next_latency_ns", &summary->rounds.next);
	assert_stat_at(json, "rounds.last_latency_ns", &summary->rounds.last);
	assert_stat_at(json, "clients.2.latency_ns", &summary->client[2].latency);
	assert_int_equal(json_number_at(json, "integrity.sent"), 3 * SAMPLE_ROUNDS);
	assert_true(json_number_at(json, "observer.bpf_ns_per_message") == 1234.5);
}

static double sum_of_means(json_t *means)
{
	const char *name;
	json_t *value;
	double sum = 0;

	assert_int_equal(json_object_size(means), NR_COMPONENTS);
	json_object_foreach(means, name, value)
	{
		double mean = json_number_value(
			json_is_object(value) ? json_object_get(value, "mean") : value);

		sum += mean;
	}
	return sum;
}

TEST(component_means_add_up_to_the_latency_mean)
{
	json_t *json = json_report_of_sample(5);

	assert_true(fabs(sum_of_means(json_at(json, "components_ns")) -
			 json_number_at(json, "latency_ns.mean")) < 1e-6);
	assert_true(fabs(sum_of_means(json_at(json, "rounds.first_latency_ns.components_ns")) -
			 json_number_at(json, "rounds.first_latency_ns.mean")) < 1e-6);
	assert_true(fabs(sum_of_means(json_at(json, "clients.3.components_ns")) -
			 json_number_at(json, "clients.3.latency_ns.mean")) < 1e-6);
}

TEST(every_component_counts_all_matched_messages)
{
	json_t *json = json_report_of_sample(5);
	char path[64];

	for (int i = 0; i < NR_COMPONENTS; i++) {
		snprintf(path, sizeof(path), "components_ns.%s.count", components[i].name);
		assert_true(json_number_at(json, path) ==
			    json_number_at(json, "integrity.matched"));
	}
}

TEST(shares_of_blame_add_up_to_one)
{
	json_t *json = json_report_of_sample(5);

	assert_true(fabs(json_number_at(json, "blame.0.share") +
			 json_number_at(json, "blame.1.share") +
			 json_number_at(json, "blame.2.share") - 1) < 1e-9);
	assert_true(fabs(json_number_at(json, "blame.0.share") - 0.6) < 1e-3);
}

TEST(a_switch_that_the_kernel_does_not_show_is_null_everywhere)
{
	struct summary *summary = sample_summary(2);
	json_t *json;

	summary->info.shows_switch = false;
	json = json_report(summary);
	assert_null_at(json, "components_ns.switch");
	assert_null_at(json, "rounds.first_latency_ns.components_ns.switch");
	assert_null_at(json, "rounds.next_latency_ns.components_ns.switch");
	assert_null_at(json, "clients.0.components_ns.switch");
	assert_true(json_has_type(json_at(json, "components_ns.receive"), 'S'));
}

TEST(what_level_light_does_not_trace_is_null_everywhere)
{
	static const char *const hidden[] = {"send_path", "busy", "return"};
	struct summary *summary = sample_summary(2);
	char path[64];
	json_t *json = json_report(summary);

	assert_string_equal(json_string_value(json_at(json, "observer.level")), "full");
	summary->info.level = LEVEL_LIGHT;
	json = json_report(summary);
	assert_string_equal(json_string_value(json_at(json, "observer.level")), "light");
	for (size_t i = 0; i < ARRAY_SIZE(hidden); i++) {
		snprintf(path, sizeof(path), "components_ns.%s", hidden[i]);
		assert_null_at(json, path);
		snprintf(path, sizeof(path), "clients.0.components_ns.%s", hidden[i]);
		assert_null_at(json, path);
	}
	assert_true(json_has_type(json_at(json, "components_ns.dispatch"), 'S'));
	assert_true(json_has_type(json_at(json, "components_ns.receive"), 'S'));
}

TEST(what_was_not_traced_is_null_and_never_zero)
{
	static const char *const unknown[] = {
		"components_ns",
		"paths",
		"rounds.first_latency_ns.components_ns",
		"rounds.next_latency_ns.components_ns",
		"clients.1.components_ns",
		"integrity.residual_ns_max",
		"observer.bpf_ns_per_message",
	};
	json_t *json = shown_untraced();

	for (size_t i = 0; i < ARRAY_SIZE(unknown); i++)
		assert_null_at(json, unknown[i]);
	assert_int_equal(json_array_size(json_at(json, "blame")), 0);
	assert_int_equal(json_array_size(json_at(json, "peaks.causes")), 0);
	assert_true(json_has_type(json_at(json, "latency_ns"), 'S'));
	assert_true(json_has_type(json_at(json, "clients.1.latency_ns"), 'S'));
	assert_int_equal(json_number_at(json, "peaks.count"), 2);
}

TEST(an_empty_stat_counts_nothing_and_knows_nothing)
{
	static const char *const unknown[] = {"min", "mean", "stddev", "p50",
					      "p90", "p99",  "p999",   "max"};
	struct summary *summary = sample_begin(2);
	json_t *json, *stat;

	json = json_report(summary);
	stat = json_at(json, "latency_ns");
	assert_int_equal(json_number_at(stat, "count"), 0);
	for (size_t i = 0; i < ARRAY_SIZE(unknown); i++)
		assert_null_at(stat, unknown[i]);
	assert_null_at(json, "components_ns.runqueue.mean");
	assert_null_at(json, "clients.1.latency_ns.p99");
}

TEST(an_empty_run_has_every_field_all_the_same)
{
	static const char *const unknown[] = {"rounds",
					      "calls",
					      "range_ns.medium",
					      "range_ns.width",
					      "peaks.min_ns",
					      "peaks.max_ns",
					      "clients.0.components_ns",
					      "clients.0.position_mean",
					      "observer.bpf_ns_per_message"};
	struct summary *summary = sample_begin(2);
	json_t *json = json_report(summary);

	for (size_t i = 0; i < ARRAY_SIZE(unknown); i++)
		assert_null_at(json, unknown[i]);
	assert_int_equal(json_number_at(json, "integrity.sent"), 0);
	assert_int_equal(json_number_at(json, "peaks.count"), 0);
	assert_int_equal(json_array_size(json_at(json, "blame")), 0);
}

TEST(incomplete_rounds_give_no_service_time)
{
	struct summary *summary = sample_begin(2);
	json_t *json;

	summary->rounds.count = 100;
	summary->rounds.tick_ns = 1000000;
	json = json_report(summary);
	assert_int_equal(json_number_at(json, "rounds.count"), 100);
	assert_int_equal(json_number_at(json, "rounds.complete"), 0);
	assert_null_at(json, "rounds.service_time_ns");
	assert_null_at(json, "rounds.efficiency_pct");
	assert_null_at(json, "rounds.first_latency_ns.mean");
	assert_null_at(json, "rounds.first_latency_ns.components_ns");
	assert_null_at(json, "range_ns.medium");
}

TEST(losses_and_incomplete_messages_are_counted_by_reason)
{
	struct summary *summary = sample_summary(1);
	json_t *json;

	summary->integrity.sent += 7;
	summary->integrity.incomplete[INCOMPLETE_NOT_RECEIVED] = 5;
	summary->integrity.incomplete[INCOMPLETE_HISTORY] = 2;
	summary->integrity.loss[LOSS_RING_FULL] = 11;
	summary->integrity.loss[LOSS_STAMPS] = 3;
	summary->integrity.residual_ns_max = 4;
	summary->integrity.truncated = true;
	json = json_report(summary);
	assert_int_equal(json_number_at(json, "integrity.incomplete.not_received"), 5);
	assert_int_equal(json_number_at(json, "integrity.incomplete.history_lost"), 2);
	assert_int_equal(json_number_at(json, "integrity.lost"), 14);
	assert_int_equal(json_number_at(json, "integrity.residual_ns_max"), 4);
	assert_true(json_is_true(json_at(json, "integrity.truncated")));
}

TEST(a_client_that_left_is_named_with_its_reason)
{
	struct summary *summary = sample_summary(2);
	json_t *json;

	summary->client[1].left = true;
	summary->client[1].left_reason = LEFT_SIGNAL;
	summary->client[1].left_detail = 9;
	summary->client[1].left_round = 51;
	json = json_report(summary);
	assert_null_at(json, "clients.0.left");
	assert_text_at(json, "clients.1.left.reason", "signal");
	assert_int_equal(json_number_at(json, "clients.1.left.detail"), 9);
	assert_int_equal(json_number_at(json, "clients.1.left.round"), 51);
}

static void assert_ended(const struct summary *summary, const char *by, bool early)
{
	json_t *json = json_report(summary);

	assert_text_at(json, "ended.by", by);
	assert_int_equal(json_is_true(json_at(json, "ended.early")), early);
}

TEST(what_ended_a_run_is_named)
{
	struct summary *summary = sample_summary(1);
	json_t *json;

	summary->info.workload.messages = summary->rounds.count;
	assert_ended(summary, "plan", false);
	summary->info.workload.messages++;
	json = json_report(summary);
	assert_null_at(json, "ended.by");
	assert_null_at(json, "ended.signal");
	assert_int_equal(json_number_at(json, "ended.planned"),
			 json_number_at(json, "ended.done") + 1);
	assert_text_at(json, "ended.unit", "rounds");
	summary->client[0].left = true;
	assert_ended(summary, "clients_left", true);
	summary->server_left = true;
	assert_ended(summary, "server_left", true);
	summary->all_left = true;
	summary->all_left_reason = LEFT_SIGNAL;
	summary->all_left_detail = SIGINT;
	assert_ended(summary, "signal", true);
	json = json_report(summary);
	assert_int_equal(json_number_at(json, "ended.signal"), SIGINT);
}

TEST(what_ended_an_attach_is_named)
{
	struct summary *summary = sample_attach();
	json_t *json = json_report(summary);

	assert_null_at(json, "ended.by");
	assert_null_at(json, "ended.planned");
	summary->all_left = true;
	summary->all_left_reason = LEFT_DURATION;
	assert_ended(summary, "duration", false);
	summary->all_left_reason = LEFT_TARGETS;
	summary->all_left_early = true;
	assert_ended(summary, "targets_left", true);
}

TEST(waits_for_room_have_their_receivers)
{
	struct summary *summary = sample_attach();
	json_t *json;

	sample_room(summary);
	json = json_report(summary);
	assert_int_equal(json_array_size(json_at(json, "room")), 2);
	assert_text_at(json, "room.0.reader.comm", "reader");
	assert_int_equal(json_number_at(json, "room.1.reader.tid"), 14);
	assert_int_equal(json_number_at(json, "room.0.ns"), 8000);
	assert_int_equal(json_number_at(json, "room.0.messages"), 7);
	assert_int_equal(json_number_at(json, "room.0.states_ns.on_cpu"), 7200);
	assert_int_equal(json_number_at(json, "room.0.states_ns.runqueue"), 320);
	assert_int_equal(json_number_at(json, "room.0.states_ns.blocked"), 400);
	assert_int_equal(json_number_at(json, "room.0.states_ns.unknown"), 80);
	assert_true(json_number_at(json, "room.1.share") == 0.2);
	assert_text_at(json, "room.0.blocked_on.0.call", "clock_nanosleep");
	summary->info.shows_room = false;
	json = json_report(summary);
	assert_true(json_is_null(json_at(json, "room")));
	assert_true(json_is_null(json_at(json, "components_ns.room")));
}

TEST(names_of_an_attach_are_in_json)
{
	static const char *const null[] = {"blame.1.script", "blame.2.relation", "blame.2.worst_ns",
					   "blame.2.worst_cpu", "channels.0.sender.script"};
	struct summary *summary = sample_attach();
	json_t *json;

	sample_services(summary);
	sample_names(summary);
	json = json_report(summary);
	assert_text_at(json, "blame.0.relation", "target");
	assert_text_at(json, "blame.1.relation", "peer");
	assert_text_at(json, "blame.0.script", "/srv/worker.py");
	assert_int_equal(json_number_at(json, "blame.0.worst_ns"), 12300);
	assert_int_equal(json_number_at(json, "blame.1.worst_cpu"), 2);
	assert_text_at(json, "channels.0.receiver.script", "/srv/worker.py");
	assert_text_at(json, "calls.services.0.service.script", "/srv/worker.py");
	for (size_t i = 0; i < ARRAY_SIZE(null); i++)
		assert_null_at(json, null[i]);
}

TEST(steal_is_in_json_if_it_is_known)
{
	struct summary *summary = sample_attach();
	json_t *json;

	assert_null_at(json_report(summary), "steal");
	sample_names(summary);
	json = json_report(summary);
	assert_int_equal(json_number_at(json, "steal.ns"), 60000000);
	assert_true(fabs(json_number_at(json, "steal.share") - 0.03) < 1e-9);
	assert_int_equal(json_number_at(json, "steal.cpus.1.cpu"), 1);
	assert_int_equal(json_number_at(json, "steal.cpus.1.ns"), 50000000);
	assert_int_equal(json_number_at(json, "steal.cpus.1.span_ns"), 1000000000);
}

/* Each number of a recording is below 2^60, but not a sum of several. */
TEST(sums_that_are_too_large_are_not_negative)
{
	struct summary *summary = sample_attach();
	json_t *json;

	assert_true(summary->blame_cnt && summary->channel_cnt);
	summary->blame[0].total.ns = UINT64_MAX;
	summary->channel[0].bytes = 1ULL << 63;
	summary->integrity.sent = UINT64_MAX - 1;
	json = json_report(summary);
	assert_true(json_integer_value(json_at(json, "integrity.sent")) == INT64_MAX);
	assert_true(json_integer_value(json_at(json, "channels.0.bytes")) == INT64_MAX);
	assert_true(json_integer_value(json_at(json, "blame.0.ns")) == INT64_MAX);
}
