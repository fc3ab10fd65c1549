/* SPDX-License-Identifier: BSD-2-Clause */
/* The JSON objects "host" and "workload". */
#include "support/build.h"
#include "support/json_report.h"

#include <jansson.h>
#include <string.h>

TEST(host_and_workload_have_all_their_fields)
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
	json_t *json = json_report_of_sample(5);

	assert_types(json, typed, ARRAY_SIZE(typed));
	assert_text_at(json, "schema", "ipctrace.summary/1");
	assert_text_at(json, "mode", "run");
	assert_text_at(json, "host.kernel", "6.18.44");
	assert_text_at(json, "workload.policy", "rr");
	assert_text_at(json, "workload.cpus", "free");
	assert_int_equal(json_number_at(json, "workload.clients"), 5);
	assert_int_equal(json_number_at(json, "workload.period_ns"), 10000000);
}

TEST(priorities_apply_to_fixed_priority_policies_only)
{
	struct summary *summary = sample_summary(1);
	json_t *json;

	for (int i = 0; i < NR_SCHED_POLICIES; i++) {
		summary->info.workload.sched_policy = i;
		json = json_report(summary);
		assert_text_at(json, "workload.policy", sched_policy_names[i]);
		assert_true(json_has_type(json_at(json, "workload.server_priority"),
					  i == POLICY_RR || i == POLICY_FIFO ? 'i' : '0'));
	}
}

TEST(cpu_lists_are_shown_as_they_are_given)
{
	struct summary *summary = sample_summary(1);
	json_t *json;

	summary->info.workload.cpu_affinity = CPUS_LISTS;
	memset(summary->info.workload.server_cpus, '1', SPEC_TEXT_LEN - 1);
	strcpy(summary->info.workload.client_cpus, "2-3,5");
	json = json_report(summary);
	assert_int_equal(json_string_length(json_at(json, "workload.cpus")),
			 strlen("server=,clients=2-3,5") + SPEC_TEXT_LEN - 1);
}

TEST(the_options_of_a_workload_are_named)
{
	struct summary *summary = sample_paced("request", 1);
	struct workload_spec *spec = &summary->info.workload;
	json_t *json;

	spec->threads = true;
	spec->reader = READER_POLL;
	spec->read_size = 7;
	spec->run = 3;
	strcpy(spec->load, "ftp");
	summary->load.count = 12;
	json = json_report(summary);
	assert_text_at(json, "workload.handler", "echo");
	assert_text_at(json, "workload.load", "ftp");
	assert_text_at(json, "workload.reader", "poll");
	assert_true(json_is_true(json_at(json, "workload.threads")));
	assert_int_equal(json_number_at(json, "workload.read_size"), 7);
	assert_int_equal(json_number_at(json, "workload.run"), 3);
	assert_text_at(json, "load.name", "ftp");
	assert_int_equal(json_number_at(json, "load.count"), 12);
	assert_true(json_is_false(json_at(json, "load.ended")));
}
