/* SPDX-License-Identifier: BSD-2-Clause */
/* The JSON report as a whole: valid JSON, several runs, numbers that JSON does not have. */
#include "support/build.h"
#include "support/capture.h"
#include "support/json_report.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

TEST(a_summary_of_zeros_is_shown_as_well)
{
	const struct summary nothing = {0};
	json_t *json = json_report(&nothing);

	assert_null_at(json, "version");
	assert_null_at(json, "host.kernel");
	assert_null_at(json, "workload.transport");
	assert_int_equal(json_array_size(json_at(json, "clients")), 0);
}

TEST(nan_and_infinity_become_null)
{
	struct summary *summary = sample_summary(2);
	json_t *json;

	summary->rounds.service_ns = NAN;
	summary->rounds.efficiency_pct = INFINITY;
	summary->peaks.medium_ns = -INFINITY;
	summary->peaks.width_ns = -NAN;
	summary->peaks.per_second = INFINITY;
	summary->observer.bpf_ns_per_message = NAN;
	summary->duration_s = NAN;
	json = json_report(summary);
	assert_null_at(json, "rounds.service_time_ns");
	assert_null_at(json, "rounds.efficiency_pct");
	assert_null_at(json, "range_ns.medium");
	assert_null_at(json, "range_ns.width");
	assert_null_at(json, "peaks.per_second");
	assert_null_at(json, "observer.bpf_ns_per_message");
}

/* Names of foreign threads have any bytes: quotes, control characters, Latin-1, UTF-8. */
TEST(any_name_gives_valid_json)
{
	static const char *const names[] = {"\"quoted\"",     "a\\b\nc\td\x1b[1m", "gr\xfcn",
					    "grün",           "\xff\xfe\xc3",      "\xed\xa0\x80",
					    "123456789012345"};
	struct summary *summary = sample_summary(1);
	json_t *json;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(summary->blame[0].total.comm, RECORD_COMM_LEN, "%s", names[i]);
		snprintf(summary->client[0].comm, RECORD_COMM_LEN, "%s", names[i]);
		snprintf(summary->info.host.kernel, SPEC_TEXT_LEN, "%s", names[i]);
		json = json_report(summary);
		assert_true(json_is_string(json_at(json, "blame.0.comm")));
		assert_true(json_is_string(json_at(json, "clients.0.comm")));
		assert_true(json_is_string(json_at(json, "host.kernel")));
	}
}

/* ESC, DEL, C1 and marks that change the direction of text become \uXXXX. */
TEST(what_a_terminal_may_obey_is_escaped)
{
	struct summary *summary = sample_summary(1);
	char *text;

	snprintf(summary->client[0].comm, RECORD_COMM_LEN, "x\x1b\x7f\xc2\x9b\u202ey");
	text = sample_show_one("json", summary);
	for (const char *c = text; *c; c++)
		assert_true((*c >= ' ' && *c <= '~') || *c == '\n');
	assert_has(text, "\"x\\u001B\\u007F\\u009B\\u202Ey\"");
}

TEST(a_run_matrix_is_one_object_with_a_summary_per_run)
{
	struct summary *one = sample_summary(1);
	struct summary *five = sample_summary(5);
	const struct summary *const runs[] = {five, one};
	json_t *json;

	json = json_parse(sample_show("json", runs, 2));
	assert_text_at(json, "schema", "ipctrace.sweep/1");
	assert_int_equal(json_array_size(json_at(json, "cells")), 2);
	assert_text_at(json, "cells.0.schema", "ipctrace.summary/1");
	assert_int_equal(json_number_at(json, "cells.0.workload.clients"), 5);
	assert_int_equal(json_number_at(json, "cells.1.workload.clients"), 1);
	assert_stat_at(json, "cells.1.latency_ns", &one->latency);
}

TEST(a_run_without_a_result_leaves_the_output_empty)
{
	assert_string_equal(sample_show("json", NULL, 0), "");
}

TEST(a_full_disk_is_an_error)
{
	struct summary *summary = sample_summary(5);

	assert_true(sample_show_full("json", summary) < 0);
}

TEST(a_run_matrix_names_its_experiment_also_with_one_run)
{
	struct summary *one = sample_summary(1);
	const struct summary *const runs[] = {one, one};
	json_t *json;

	json = json_parse(sample_show("json", runs, 2));
	assert_types(json, (const char *const[]){"0 experiment"}, 1);
	strcpy(one->info.experiment, "lipc");
	json = json_parse(sample_show("json", runs, 1));
	assert_text_at(json, "schema", "ipctrace.sweep/1");
	assert_text_at(json, "experiment", "lipc");
	assert_int_equal(json_array_size(json_at(json, "cells")), 1);
}
