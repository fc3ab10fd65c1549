/* SPDX-License-Identifier: BSD-2-Clause */
/* -f json: every field that scripts rely on, with its type, and null for what is not known. */
#include "support/build.h"
#include "support/capture.h"
#include "support/sample.h"

#include <jansson.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "rounds.first_latency_ns.mean", "clients.0.comm": NULL if there is no such member. */
static json_t *at(json_t *value, const char *path)
{
	char name[64];

	while (value && *path) {
		size_t length = strcspn(path, ".");

		assert_true(length < sizeof(name));
		snprintf(name, sizeof(name), "%.*s", (int)length, path);
		value = json_is_array(value) ? json_array_get(value, strtoul(name, NULL, 10))
					     : json_object_get(value, name);
		path += length + (path[length] == '.');
	}
	return value;
}

static void assert_null_at(json_t *json, const char *path)
{
	json_t *value = at(json, path);

	if (!value || !json_is_null(value))
		fail_msg("%s: %s", path, value ? "not null" : "absent");
}

static double number_at(json_t *json, const char *path)
{
	json_t *value = at(json, path);

	if (!json_is_number(value))
		fail_msg("%s: %s", path, value ? "not a number" : "absent");
	return json_number_value(value);
}

static void assert_text_at(json_t *json, const char *path, const char *expected)
{
	json_t *value = at(json, path);

	if (!json_is_string(value) || strcmp(json_string_value(value), expected))
		fail_msg("%s is not '%s'", path, expected);
}

static bool is_stat(json_t *stat)
{
	static const char *const integers[] = {"count", "min", "p50", "p90", "p99", "p999", "max"};

	for (size_t i = 0; i < ARRAY_SIZE(integers); i++) {
		if (!json_is_integer(json_object_get(stat, integers[i])))
			return false;
	}
	return json_is_number(json_object_get(stat, "mean")) &&
	       json_is_number(json_object_get(stat, "stddev"));
}

/* i: integer, n: number, s: text, o: object, a: array, b: truth, S: STAT, 0: null */
static bool has_type(json_t *value, char type)
{
	switch (type) {
	case 'i':
		return json_is_integer(value);
	case 'n':
		return json_is_number(value);
	case 's':
		return json_is_string(value);
	case 'o':
		return json_is_object(value);
	case 'a':
		return json_is_array(value);
	case 'b':
		return json_is_boolean(value);
	case 'S':
		return is_stat(value);
	default:
		return json_is_null(value);
	}
}

static void assert_types(json_t *json, const char *const *typed, size_t cnt)
{
	for (size_t i = 0; i < cnt; i++) {
		json_t *value = at(json, typed[i] + 2);

		if (!value)
			fail_msg("%s is absent", typed[i] + 2);
		if (!has_type(value, typed[i][0]))
			fail_msg("%s is not of type %c", typed[i] + 2, typed[i][0]);
	}
}

/* Strict JSON, nothing behind it but the end of the line, and no name twice. */
static json_t *parse(char *text)
{
	json_error_t error;
	json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, &error);

	if (!json)
		fail_msg("line %d: %s in:\n%.500s", error.line, error.text, text);
	assert_int_equal(text[strlen(text) - 1], '\n');
	free(text);
	return json;
}

static json_t *shown(const struct summary *summary)
{
	return parse(sample_show_one("json", summary));
}

static json_t *shown_sample(uint32_t clients)
{
	struct summary summary;
	json_t *json;

	sample_summary(&summary, clients);
	json = shown(&summary);
	sample_free(&summary);
	return json;
}

static json_t *shown_untraced(void)
{
	struct summary summary;
	json_t *json;

	sample_untraced(&summary, 2);
	json = shown(&summary);
	sample_free(&summary);
	return json;
}

static void host_and_workload_have_all_their_fields(void **state)
{
	static const char *const typed[] = {
		"s schema",
		"s version",
		"s host.kernel",
		"s host.arch",
		"i host.cpus",
		"s host.preemption",
		"s host.clocksource",
		"s host.virtual",
		"s mode",
		"s workload.transport",
		"s workload.pattern",
		"i workload.clients",
		"i workload.messages",
		"i workload.warmup",
		"i workload.period_ns",
		"i workload.size",
		"s workload.policy",
		"i workload.server_priority",
		"i workload.client_priority",
		"s workload.cpus",
		"0 workload.handler",
		"0 workload.load",
		"b workload.threads",
		"s workload.reader",
		"0 workload.read_size",
		"0 workload.run",
	};
	json_t *json = shown_sample(5);

	(void)state;
	assert_types(json, typed, ARRAY_SIZE(typed));
	assert_text_at(json, "schema", "ipctrace.summary/1");
	assert_text_at(json, "mode", "run");
	assert_text_at(json, "host.kernel", "6.18.44");
	assert_text_at(json, "workload.policy", "rr");
	assert_text_at(json, "workload.cpus", "free");
	assert_int_equal(number_at(json, "workload.clients"), 5);
	assert_int_equal(number_at(json, "workload.period_ns"), 10000000);
	json_decref(json);
}

static void results_have_all_their_fields(void **state)
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
	json_t *json = shown_sample(5);

	(void)state;
	assert_types(json, typed, ARRAY_SIZE(typed));
	assert_int_equal(json_object_size(at(json, "integrity.incomplete")), NR_INCOMPLETES);
	assert_int_equal(json_object_size(at(json, "components_ns")), NR_COMPONENTS);
	assert_int_equal(json_object_size(at(json, "paths")), NR_PATHS);
	json_decref(json);
}

static void rounds_peaks_blame_and_clients_have_all_their_fields(void **state)
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
	json_t *json = shown_sample(5);

	(void)state;
	assert_types(json, typed, ARRAY_SIZE(typed));
	assert_int_equal(json_array_size(at(json, "clients")), 5);
	assert_int_equal(json_array_size(at(json, "blame")), 3);
	assert_int_equal(number_at(json, "clients.4.client"), 5);
	assert_true(number_at(json, "clients.4.position_mean") == 5);
	assert_text_at(json, "blame.1.class", "client");
	json_decref(json);
}

static void assert_stat_at(json_t *json, const char *path, const struct stat *stat)
{
	json_t *value = at(json, path);

	assert_true(is_stat(value));
	assert_int_equal(number_at(value, "count"), stat->count);
	assert_int_equal(number_at(value, "min"), stat->min);
	assert_int_equal(number_at(value, "max"), stat->max);
	assert_int_equal(number_at(value, "p50"), stat_percentile(stat, 50));
	assert_int_equal(number_at(value, "p90"), stat_percentile(stat, 90));
	assert_int_equal(number_at(value, "p99"), stat_percentile(stat, 99));
	assert_int_equal(number_at(value, "p999"), stat_percentile(stat, 99.9));
	assert_true(fabs(number_at(value, "mean") - stat_mean(stat)) < 1e-6);
	assert_true(fabs(number_at(value, "stddev") - stat_stddev(stat)) < 1e-6);
}

static void the_values_are_those_of_the_summary(void **state)
{
	struct summary summary;
	char path[64];
	json_t *json;

	(void)state;
	sample_summary(&summary, 3);
	json = shown(&summary);
	assert_stat_at(json, "latency_ns", &summary.latency);
	for (int i = 0; i < NR_COMPONENTS; i++) {
		snprintf(path, sizeof(path), "components_ns.%s", component_name(i));
		assert_stat_at(json, path, &summary.component[i]);
	}
	assert_stat_at(json, "rounds.first_latency_ns", &summary.rounds.first);
	assert_stat_at(json, "rounds.next_latency_ns", &summary.rounds.next);
	assert_stat_at(json, "rounds.last_latency_ns", &summary.rounds.last);
	assert_stat_at(json, "clients.2.latency_ns", &summary.client[2].latency);
	assert_int_equal(number_at(json, "integrity.sent"), 3 * SAMPLE_ROUNDS);
	assert_true(number_at(json, "observer.bpf_ns_per_message") == 1234.5);
	json_decref(json);
	sample_free(&summary);
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

static void component_means_add_up_to_the_latency_mean(void **state)
{
	json_t *json = shown_sample(5);

	(void)state;
	assert_true(fabs(sum_of_means(at(json, "components_ns")) -
			 number_at(json, "latency_ns.mean")) < 1e-6);
	assert_true(fabs(sum_of_means(at(json, "rounds.first_latency_ns.components_ns")) -
			 number_at(json, "rounds.first_latency_ns.mean")) < 1e-6);
	assert_true(fabs(sum_of_means(at(json, "clients.3.components_ns")) -
			 number_at(json, "clients.3.latency_ns.mean")) < 1e-6);
	json_decref(json);
}

static void every_component_counts_all_matched_messages(void **state)
{
	json_t *json = shown_sample(5);
	char path[64];

	(void)state;
	for (int i = 0; i < NR_COMPONENTS; i++) {
		snprintf(path, sizeof(path), "components_ns.%s.count", component_name(i));
		assert_true(number_at(json, path) == number_at(json, "integrity.matched"));
	}
	json_decref(json);
}

static void shares_of_blame_add_up_to_one(void **state)
{
	json_t *json = shown_sample(5);

	(void)state;
	assert_true(fabs(number_at(json, "blame.0.share") + number_at(json, "blame.1.share") +
			 number_at(json, "blame.2.share") - 1) < 1e-9);
	assert_true(fabs(number_at(json, "blame.0.share") - 0.6) < 1e-3);
	json_decref(json);
}

static void a_switch_that_the_kernel_does_not_show_is_null_everywhere(void **state)
{
	struct summary summary;
	json_t *json;

	(void)state;
	sample_summary(&summary, 2);
	summary.info.shows_switch = false;
	json = shown(&summary);
	assert_null_at(json, "components_ns.switch");
	assert_null_at(json, "rounds.first_latency_ns.components_ns.switch");
	assert_null_at(json, "rounds.next_latency_ns.components_ns.switch");
	assert_null_at(json, "clients.0.components_ns.switch");
	assert_true(is_stat(at(json, "components_ns.receive")));
	json_decref(json);
	sample_free(&summary);
}

static void what_level_light_does_not_see_is_null_everywhere(void **state)
{
	static const char *const hidden[] = {"send_path", "busy", "return"};
	struct summary summary;
	char path[64];
	json_t *json;

	(void)state;
	sample_summary(&summary, 2);
	json = shown(&summary);
	assert_string_equal(json_string_value(at(json, "observer.level")), "full");
	json_decref(json);
	summary.info.level = LEVEL_LIGHT;
	json = shown(&summary);
	assert_string_equal(json_string_value(at(json, "observer.level")), "light");
	for (size_t i = 0; i < ARRAY_SIZE(hidden); i++) {
		snprintf(path, sizeof(path), "components_ns.%s", hidden[i]);
		assert_null_at(json, path);
		snprintf(path, sizeof(path), "clients.0.components_ns.%s", hidden[i]);
		assert_null_at(json, path);
	}
	assert_true(is_stat(at(json, "components_ns.dispatch")));
	assert_true(is_stat(at(json, "components_ns.receive")));
	json_decref(json);
	sample_free(&summary);
}

static void what_was_not_traced_is_null_and_never_zero(void **state)
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

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(unknown); i++)
		assert_null_at(json, unknown[i]);
	assert_int_equal(json_array_size(at(json, "blame")), 0);
	assert_int_equal(json_array_size(at(json, "peaks.causes")), 0);
	assert_true(is_stat(at(json, "latency_ns")));
	assert_true(is_stat(at(json, "clients.1.latency_ns")));
	assert_int_equal(number_at(json, "peaks.count"), 2);
	json_decref(json);
}

static void an_empty_stat_counts_nothing_and_knows_nothing(void **state)
{
	static const char *const unknown[] = {"min", "mean", "stddev", "p50",
					      "p90", "p99",  "p999",   "max"};
	struct summary summary;
	json_t *json, *stat;

	(void)state;
	sample_begin(&summary, 2);
	json = shown(&summary);
	stat = at(json, "latency_ns");
	assert_int_equal(number_at(stat, "count"), 0);
	for (size_t i = 0; i < ARRAY_SIZE(unknown); i++)
		assert_null_at(stat, unknown[i]);
	assert_null_at(json, "components_ns.runqueue.mean");
	assert_null_at(json, "clients.1.latency_ns.p99");
	json_decref(json);
	sample_free(&summary);
}

static void an_empty_run_has_every_field_all_the_same(void **state)
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
	struct summary summary;
	json_t *json;

	(void)state;
	sample_begin(&summary, 2);
	json = shown(&summary);
	for (size_t i = 0; i < ARRAY_SIZE(unknown); i++)
		assert_null_at(json, unknown[i]);
	assert_int_equal(number_at(json, "integrity.sent"), 0);
	assert_int_equal(number_at(json, "peaks.count"), 0);
	assert_int_equal(json_array_size(at(json, "blame")), 0);
	json_decref(json);
	sample_free(&summary);
}

static void a_summary_of_zeros_is_shown_as_well(void **state)
{
	const struct summary nothing = {0};
	json_t *json = shown(&nothing);

	(void)state;
	assert_null_at(json, "version");
	assert_null_at(json, "host.kernel");
	assert_null_at(json, "workload.transport");
	assert_int_equal(json_array_size(at(json, "clients")), 0);
	json_decref(json);
}

static void incomplete_rounds_give_no_service_time(void **state)
{
	struct summary summary;
	json_t *json;

	(void)state;
	sample_begin(&summary, 2);
	summary.rounds.count = 100;
	summary.rounds.tick_ns = 1000000;
	json = shown(&summary);
	assert_int_equal(number_at(json, "rounds.count"), 100);
	assert_int_equal(number_at(json, "rounds.complete"), 0);
	assert_null_at(json, "rounds.service_time_ns");
	assert_null_at(json, "rounds.efficiency_pct");
	assert_null_at(json, "rounds.first_latency_ns.mean");
	assert_null_at(json, "rounds.first_latency_ns.components_ns");
	assert_null_at(json, "range_ns.medium");
	json_decref(json);
	sample_free(&summary);
}

static void a_number_that_is_none_becomes_null(void **state)
{
	struct summary summary;
	json_t *json;

	(void)state;
	sample_summary(&summary, 2);
	summary.rounds.service_ns = NAN;
	summary.rounds.efficiency_pct = INFINITY;
	summary.peaks.medium_ns = -INFINITY;
	summary.peaks.width_ns = -NAN;
	summary.peaks.per_second = INFINITY;
	summary.observer.bpf_ns_per_message = NAN;
	summary.duration_s = NAN;
	json = shown(&summary);
	assert_null_at(json, "rounds.service_time_ns");
	assert_null_at(json, "rounds.efficiency_pct");
	assert_null_at(json, "range_ns.medium");
	assert_null_at(json, "range_ns.width");
	assert_null_at(json, "peaks.per_second");
	assert_null_at(json, "observer.bpf_ns_per_message");
	json_decref(json);
	sample_free(&summary);
}

static void priorities_apply_to_fixed_priority_policies_only(void **state)
{
	struct summary summary;
	json_t *json;

	(void)state;
	sample_summary(&summary, 1);
	for (int i = 0; i < NR_SCHED_POLICIES; i++) {
		summary.info.workload.policy = i;
		json = shown(&summary);
		assert_text_at(json, "workload.policy", sched_policy_name(i));
		assert_true(has_type(at(json, "workload.server_priority"),
				     i == POLICY_RR || i == POLICY_FIFO ? 'i' : '0'));
		json_decref(json);
	}
	sample_free(&summary);
}

static void cpu_lists_are_shown_as_they_are_given(void **state)
{
	struct summary summary;
	json_t *json;

	(void)state;
	sample_summary(&summary, 1);
	summary.info.workload.placement = CPUS_LISTS;
	memset(summary.info.workload.server_cpus, '1', SPEC_TEXT_LEN - 1);
	strcpy(summary.info.workload.client_cpus, "2-3,5");
	json = shown(&summary);
	assert_int_equal(json_string_length(at(json, "workload.cpus")),
			 strlen("server=,clients=2-3,5") + SPEC_TEXT_LEN - 1);
	json_decref(json);
	sample_free(&summary);
}

static void losses_and_incomplete_messages_are_counted_by_reason(void **state)
{
	struct summary summary;
	json_t *json;

	(void)state;
	sample_summary(&summary, 1);
	summary.integrity.sent += 7;
	summary.integrity.incomplete[INCOMPLETE_NOT_RECEIVED] = 5;
	summary.integrity.incomplete[INCOMPLETE_HISTORY] = 2;
	summary.integrity.loss[LOSS_RING_FULL] = 11;
	summary.integrity.loss[LOSS_STAMPS] = 3;
	summary.integrity.residual_ns_max = 4;
	summary.integrity.truncated = true;
	json = shown(&summary);
	assert_int_equal(number_at(json, "integrity.incomplete.not_received"), 5);
	assert_int_equal(number_at(json, "integrity.incomplete.history_lost"), 2);
	assert_int_equal(number_at(json, "integrity.lost"), 14);
	assert_int_equal(number_at(json, "integrity.residual_ns_max"), 4);
	assert_true(json_is_true(at(json, "integrity.truncated")));
	json_decref(json);
	sample_free(&summary);
}

/* Names of foreign threads are bytes: quotes, control characters, Latin-1, UTF-8. */
static void any_name_gives_valid_json(void **state)
{
	static const char *const names[] = {"\"quoted\"",     "a\\b\nc\td\x1b[1m", "gr\xfcn",
					    "grün",           "\xff\xfe\xc3",      "\xed\xa0\x80",
					    "123456789012345"};
	struct summary summary;
	json_t *json;

	(void)state;
	sample_summary(&summary, 1);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(summary.blame[0].who.comm, RECORD_COMM_LEN, "%s", names[i]);
		snprintf(summary.client[0].comm, RECORD_COMM_LEN, "%s", names[i]);
		snprintf(summary.info.host.kernel, SPEC_TEXT_LEN, "%s", names[i]);
		json = shown(&summary);
		assert_true(json_is_string(at(json, "blame.0.comm")));
		assert_true(json_is_string(at(json, "clients.0.comm")));
		assert_true(json_is_string(at(json, "host.kernel")));
		json_decref(json);
	}
	sample_free(&summary);
}

/* DEL, C1 as UTF-8, and a mark that turns the direction of the text: \uXXXX, as for ESC. */
static void what_a_terminal_may_obey_is_escaped(void **state)
{
	struct summary summary;
	char *text;

	(void)state;
	sample_summary(&summary, 1);
	snprintf(summary.client[0].comm, RECORD_COMM_LEN, "x\x1b\x7f\xc2\x9b\u202ey");
	text = sample_show_one("json", &summary);
	for (const char *c = text; *c; c++)
		assert_true((*c >= ' ' && *c <= '~') || *c == '\n');
	assert_has(text, "\"x\\u001B\\u007F\\u009B\\u202Ey\"");
	free(text);
	sample_free(&summary);
}

static void a_client_that_left_is_named_with_its_reason(void **state)
{
	struct summary summary;
	json_t *json;

	(void)state;
	sample_summary(&summary, 2);
	summary.client[1].left = true;
	summary.client[1].left_reason = LEFT_SIGNAL;
	summary.client[1].left_detail = 9;
	summary.client[1].left_round = 51;
	json = shown(&summary);
	assert_null_at(json, "clients.0.left");
	assert_text_at(json, "clients.1.left.reason", "signal");
	assert_int_equal(number_at(json, "clients.1.left.detail"), 9);
	assert_int_equal(number_at(json, "clients.1.left.round"), 51);
	json_decref(json);
	sample_free(&summary);
}

static void assert_ended(const struct summary *summary, const char *by, bool early)
{
	json_t *json = shown(summary);

	assert_text_at(json, "ended.by", by);
	assert_int_equal(json_is_true(at(json, "ended.early")), early);
	json_decref(json);
}

static void what_ended_a_run_is_named(void **state)
{
	struct summary summary;
	json_t *json;

	(void)state;
	sample_summary(&summary, 1);
	summary.info.workload.messages = summary.rounds.count;
	assert_ended(&summary, "plan", false);
	summary.info.workload.messages++;
	json = shown(&summary);
	assert_null_at(json, "ended.by");
	assert_null_at(json, "ended.signal");
	assert_int_equal(number_at(json, "ended.planned"), number_at(json, "ended.done") + 1);
	assert_text_at(json, "ended.unit", "rounds");
	json_decref(json);
	summary.client[0].left = true;
	assert_ended(&summary, "clients_left", true);
	summary.server_left = true;
	assert_ended(&summary, "server_left", true);
	summary.all_left = true;
	summary.all_left_reason = LEFT_SIGNAL;
	summary.all_left_detail = SIGINT;
	assert_ended(&summary, "signal", true);
	json = shown(&summary);
	assert_int_equal(number_at(json, "ended.signal"), SIGINT);
	json_decref(json);
	sample_free(&summary);
}

static void what_ended_an_attach_is_named(void **state)
{
	struct summary summary;
	json_t *json;

	(void)state;
	sample_attach(&summary);
	json = shown(&summary);
	assert_null_at(json, "ended.by");
	assert_null_at(json, "ended.planned");
	json_decref(json);
	summary.all_left = true;
	summary.all_left_reason = LEFT_DURATION;
	assert_ended(&summary, "duration", false);
	summary.all_left_reason = LEFT_TARGETS;
	summary.all_left_early = true;
	assert_ended(&summary, "targets_left", true);
	sample_free(&summary);
}

static void a_sweep_is_one_object_with_a_summary_per_cell(void **state)
{
	struct summary one, five;
	const struct summary *const cells[] = {&five, &one};
	json_t *json;

	(void)state;
	sample_summary(&one, 1);
	sample_summary(&five, 5);
	json = parse(sample_show("json", cells, 2));
	assert_text_at(json, "schema", "ipctrace.sweep/1");
	assert_int_equal(json_array_size(at(json, "cells")), 2);
	assert_text_at(json, "cells.0.schema", "ipctrace.summary/1");
	assert_int_equal(number_at(json, "cells.0.workload.clients"), 5);
	assert_int_equal(number_at(json, "cells.1.workload.clients"), 1);
	assert_stat_at(json, "cells.1.latency_ns", &one.latency);
	json_decref(json);
	sample_free(&one);
	sample_free(&five);
}

static void a_run_without_a_result_leaves_the_output_empty(void **state)
{
	char *text = sample_show("json", NULL, 0);

	(void)state;
	assert_string_equal(text, "");
	free(text);
}

static void a_full_disk_is_an_error(void **state)
{
	struct summary summary;

	(void)state;
	sample_summary(&summary, 5);
	assert_true(sample_show_full("json", &summary) < 0);
	sample_free(&summary);
}

static void calls_flow_and_fairness_have_all_their_fields(void **state)
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
	struct summary summary;
	json_t *json;

	(void)state;
	sample_paced(&summary, "request", 2);
	stat_add(&summary.calls.from_due, 1);
	stat_add(&summary.from_due, 1);
	summary.flow.wakes_sent = 7;
	summary.flow.wakes_delivered = 4;
	json = shown(&summary);
	sample_free(&summary);
	assert_types(json, typed, ARRAY_SIZE(typed));
	assert_int_equal(number_at(json, "calls.count"), 200);
	assert_int_equal(number_at(json, "calls.service_ns.states_ns.runqueue"), 400);
	assert_int_equal(number_at(json, "flow.messages_per_second"), 100000);
	assert_int_equal(number_at(json, "flow.signals.merged"), 3);
	assert_int_equal(number_at(json, "fairness.client"), 2);
	assert_int_equal(number_at(json, "fairness.gap_ns"), 2002000);
	assert_int_equal(number_at(json, "clients.1.time_ns"), 120000000);
	json_decref(json);
}

static void calls_whose_service_is_not_cut_are_counted_by_reason(void **state)
{
	struct summary summary;
	json_t *json, *uncut;

	(void)state;
	sample_paced(&summary, "request", 2);
	summary.calls.state_cnt = summary.calls.count - 12;
	summary.calls.handed_over = 10;
	json = shown(&summary);
	uncut = json_object_get(json_object_get(json, "calls"), "service_not_cut");
	assert_int_equal(json_integer_value(json_object_get(uncut, "another_thread")), 10);
	assert_int_equal(json_integer_value(json_object_get(uncut, "history_lost")), 2);
	json_decref(json);
	summary.info.traced = false;
	json = shown(&summary);
	assert_true(
		json_is_null(json_object_get(json_object_get(json, "calls"), "service_not_cut")));
	json_decref(json);
	sample_free(&summary);
}

static void an_attach_says_what_is_doubtful_about_its_calls(void **state)
{
	struct summary summary;
	json_t *json;

	(void)state;
	sample_paced(&summary, "request", 2);
	summary.info.mode = MODE_ATTACH;
	summary.calls.guessed = 12;
	summary.calls.ambiguous = 23;
	summary.calls.unasked = 34;
	json = shown(&summary);
	sample_free(&summary);
	assert_int_equal(number_at(json, "calls.guessed"), 12);
	assert_int_equal(number_at(json, "calls.ambiguous"), 23);
	assert_int_equal(number_at(json, "calls.unasked"), 34);
	json_decref(json);
}

/* Also when none of them is known to be a round. */
static void an_attach_says_what_may_have_been_rounds(void **state)
{
	struct summary summary;
	json_t *json;

	(void)state;
	sample_paced(&summary, "request", 2);
	summary.info.mode = MODE_ATTACH;
	summary.rounds.given_up = 12;
	json = shown(&summary);
	sample_free(&summary);
	assert_int_equal(number_at(json, "rounds.count"), 0);
	assert_int_equal(number_at(json, "rounds.given_up"), 12);
	json_decref(json);
}

static void parts_of_calls_that_were_not_measured_are_null(void **state)
{
	static const char *const typed[] = {
		"o calls",        "0 calls.from_due_ns", "0 calls.service_ns.states_ns",
		"0 flow.signals", "0 fairness",
	};
	struct summary summary;
	json_t *json;

	(void)state;
	sample_paced(&summary, "pingpong", 1);
	summary.calls.state_cnt = 0;
	json = shown(&summary);
	sample_free(&summary);
	assert_types(json, typed, ARRAY_SIZE(typed));
	json_decref(json);
}

static void the_ways_of_a_workload_are_named(void **state)
{
	struct summary summary;
	struct workload_spec *spec = &summary.info.workload;
	json_t *json;

	(void)state;
	sample_paced(&summary, "request", 1);
	spec->threads = true;
	spec->reader = READER_POLL;
	spec->read_size = 7;
	spec->run = 3;
	strcpy(spec->load, "ftp");
	summary.load.count = 12;
	json = shown(&summary);
	sample_free(&summary);
	assert_text_at(json, "workload.handler", "echo");
	assert_text_at(json, "workload.load", "ftp");
	assert_text_at(json, "workload.reader", "poll");
	assert_true(json_is_true(at(json, "workload.threads")));
	assert_int_equal(number_at(json, "workload.read_size"), 7);
	assert_int_equal(number_at(json, "workload.run"), 3);
	assert_text_at(json, "load.name", "ftp");
	assert_int_equal(number_at(json, "load.count"), 12);
	assert_true(json_is_false(at(json, "load.ended")));
	json_decref(json);
}

static void a_sweep_names_its_experiment_also_with_one_cell(void **state)
{
	struct summary one;
	const struct summary *const cells[] = {&one, &one};
	json_t *json;

	(void)state;
	sample_summary(&one, 1);
	json = parse(sample_show("json", cells, 2));
	assert_types(json, (const char *const[]){"0 experiment"}, 1);
	json_decref(json);
	strcpy(one.info.experiment, "lipc");
	json = parse(sample_show("json", cells, 1));
	assert_text_at(json, "schema", "ipctrace.sweep/1");
	assert_text_at(json, "experiment", "lipc");
	assert_int_equal(json_array_size(at(json, "cells")), 1);
	json_decref(json);
	sample_free(&one);
}

static void an_attach_has_channels_and_no_workload(void **state)
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
	struct summary summary;
	json_t *json;

	(void)state;
	sample_attach(&summary);
	summary.integrity.match[MATCH_RESYNCED] = 2;
	summary.integrity.elsewhere = 17;
	summary.integrity.incomplete[INCOMPLETE_START] = 4;
	summary.integrity.incomplete[INCOMPLETE_NOT_TRACED] = 5;
	summary.channel[0].sender.tid = TID_OUTSIDE | 812;
	json = shown(&summary);
	assert_types(json, typed, ARRAY_SIZE(typed));
	assert_text_at(json, "mode", "attach");
	assert_null_at(json, "workload");
	assert_true(json_is_true(at(json, "channels.0.sender.outside")));
	assert_true(json_is_false(at(json, "channels.0.receiver.outside")));
	assert_null_at(json, "components_ns.dispatch");
	assert_null_at(json, "components_ns.return");
	assert_null_at(json, "channels.0.components_ns.dispatch");
	assert_null_at(json, "channels.0.components_ns.return");
	assert_true(json_is_number(at(json, "channels.0.components_ns.receive")));
	assert_int_equal(number_at(json, "integrity.elsewhere"), 17);
	assert_int_equal(number_at(json, "integrity.incomplete.unknown_start"), 4);
	assert_int_equal(number_at(json, "integrity.incomplete.not_traced"), 5);
	assert_int_equal(number_at(json, "matches.exact"), 2 * SAMPLE_ROUNDS + 30);
	assert_int_equal(number_at(json, "matches.resynced"), 2);
	assert_int_equal(number_at(json, "matches.ambiguous"), 0);
	assert_int_equal(number_at(json, "matches.approximate"), 0);
	assert_int_equal(number_at(json, "calls.count"), SAMPLE_ROUNDS);
	json_decref(json);
	sample_free(&summary);
}

static void channels_say_who_talks_to_whom(void **state)
{
	struct summary summary;
	json_t *json;

	(void)state;
	sample_attach(&summary);
	json = shown(&summary);
	assert_int_equal(json_array_size(at(json, "channels")), 3);
	assert_int_equal(number_at(json, "channels.0.id"), 7);
	assert_text_at(json, "channels.0.transport", "uds-stream");
	assert_text_at(json, "channels.0.name", "/run/x.sock");
	assert_int_equal(number_at(json, "channels.0.channels"), 1);
	assert_int_equal(number_at(json, "channels.0.sender.pid"), 812);
	assert_text_at(json, "channels.0.sender.comm", "psql");
	assert_int_equal(number_at(json, "channels.0.receiver.pid"), 700);
	assert_text_at(json, "channels.0.receiver.comm", "postgres");
	assert_int_equal(number_at(json, "channels.0.messages"), SAMPLE_ROUNDS);
	assert_int_equal(number_at(json, "channels.0.bytes"), 64 * SAMPLE_ROUNDS);
	assert_int_equal(number_at(json, "channels.0.calls"), SAMPLE_ROUNDS);
	assert_int_equal(number_at(json, "channels.0.latency_ns.count"), SAMPLE_ROUNDS);
	assert_int_equal(number_at(json, "channels.1.calls"), 0);
	json_decref(json);
	sample_free(&summary);
}

static void channels_that_were_folded_have_no_ends(void **state)
{
	struct summary summary;
	json_t *json;

	(void)state;
	sample_attach(&summary);
	json = shown(&summary);
	assert_text_at(json, "channels.2.name", "other");
	assert_int_equal(number_at(json, "channels.2.channels"), 3);
	assert_int_equal(number_at(json, "channels.2.messages"), 30);
	assert_null_at(json, "channels.2.id");
	assert_null_at(json, "channels.2.transport");
	assert_null_at(json, "channels.2.sender");
	assert_null_at(json, "channels.2.receiver");
	json_decref(json);
	sample_free(&summary);
}

/* Of its thread no record came. */
static void an_end_that_is_not_known_is_null(void **state)
{
	struct summary summary;
	json_t *json;

	(void)state;
	sample_attach(&summary);
	summary.channel[0].sender = (struct end_summary){0};
	summary.channel[0].transport = 0;
	summary.channel[0].name[0] = '\0';
	json = shown(&summary);
	assert_null_at(json, "channels.0.sender.pid");
	assert_null_at(json, "channels.0.sender.comm");
	assert_null_at(json, "channels.0.transport");
	assert_null_at(json, "channels.0.name");
	json_decref(json);
	sample_free(&summary);
}

static void what_was_slept_in_is_named(void **state)
{
	struct summary summary;
	json_t *json;

	(void)state;
	sample_attach(&summary);
	blocked_calls_add(&summary.blocked, 202, 300, 2);
	blocked_calls_add(&summary.blocked, 0, 100, 5);
	blocked_calls_add(&summary.calls.blocked, 230, 50, 1);
	json = shown(&summary);
	assert_int_equal(json_array_size(at(json, "blocked_on")), 2);
	assert_text_at(json, "blocked_on.0.call", "futex");
	assert_int_equal(number_at(json, "blocked_on.0.ns"), 300);
	assert_int_equal(number_at(json, "blocked_on.0.messages"), 2);
	assert_text_at(json, "blocked_on.1.call", "read");
	assert_true(json_real_value(at(json, "blocked_on.1.share")) == 0.25);
	assert_text_at(json, "calls.blocked_on.0.call", "clock_nanosleep");
	assert_int_equal(number_at(json, "calls.blocked_on.0.calls"), 1);
	json_decref(json);
	sample_free(&summary);
}

static void a_run_is_no_attach(void **state)
{
	json_t *json = shown_sample(2);

	(void)state;
	assert_text_at(json, "mode", "run");
	assert_null_at(json, "integrity.elsewhere");
	assert_null_at(json, "blocked_on");
	assert_string_equal(mode_name(MODE_RUN), "run");
	assert_string_equal(mode_name(MODE_ATTACH), "attach");
	json_decref(json);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(host_and_workload_have_all_their_fields),
		cmocka_unit_test(results_have_all_their_fields),
		cmocka_unit_test(rounds_peaks_blame_and_clients_have_all_their_fields),
		cmocka_unit_test(the_values_are_those_of_the_summary),
		cmocka_unit_test(component_means_add_up_to_the_latency_mean),
		cmocka_unit_test(every_component_counts_all_matched_messages),
		cmocka_unit_test(shares_of_blame_add_up_to_one),
		cmocka_unit_test(a_switch_that_the_kernel_does_not_show_is_null_everywhere),
		cmocka_unit_test(what_level_light_does_not_see_is_null_everywhere),
		cmocka_unit_test(what_was_not_traced_is_null_and_never_zero),
		cmocka_unit_test(an_empty_stat_counts_nothing_and_knows_nothing),
		cmocka_unit_test(an_empty_run_has_every_field_all_the_same),
		cmocka_unit_test(a_summary_of_zeros_is_shown_as_well),
		cmocka_unit_test(incomplete_rounds_give_no_service_time),
		cmocka_unit_test(a_number_that_is_none_becomes_null),
		cmocka_unit_test(priorities_apply_to_fixed_priority_policies_only),
		cmocka_unit_test(cpu_lists_are_shown_as_they_are_given),
		cmocka_unit_test(losses_and_incomplete_messages_are_counted_by_reason),
		cmocka_unit_test(any_name_gives_valid_json),
		cmocka_unit_test(what_a_terminal_may_obey_is_escaped),
		cmocka_unit_test(a_client_that_left_is_named_with_its_reason),
		cmocka_unit_test(what_ended_a_run_is_named),
		cmocka_unit_test(what_ended_an_attach_is_named),
		cmocka_unit_test(a_sweep_is_one_object_with_a_summary_per_cell),
		cmocka_unit_test(a_run_without_a_result_leaves_the_output_empty),
		cmocka_unit_test(a_full_disk_is_an_error),
		cmocka_unit_test(calls_flow_and_fairness_have_all_their_fields),
		cmocka_unit_test(calls_whose_service_is_not_cut_are_counted_by_reason),
		cmocka_unit_test(an_attach_says_what_is_doubtful_about_its_calls),
		cmocka_unit_test(an_attach_says_what_may_have_been_rounds),
		cmocka_unit_test(parts_of_calls_that_were_not_measured_are_null),
		cmocka_unit_test(the_ways_of_a_workload_are_named),
		cmocka_unit_test(a_sweep_names_its_experiment_also_with_one_cell),
		cmocka_unit_test(an_attach_has_channels_and_no_workload),
		cmocka_unit_test(channels_say_who_talks_to_whom),
		cmocka_unit_test(channels_that_were_folded_have_no_ends),
		cmocka_unit_test(an_end_that_is_not_known_is_null),
		cmocka_unit_test(what_was_slept_in_is_named),
		cmocka_unit_test(a_run_is_no_attach),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
