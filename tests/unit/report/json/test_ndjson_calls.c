/* SPDX-License-Identifier: BSD-2-Clause */
/* The records of calls in -f ndjson. */
#include "support/build.h"
#include "support/json_report.h"
#include "support/sample.h"

#include "report/format.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Line i, from 0, of the report of an attach with this call. */
static json_t *record_of(const struct call *call, size_t i)
{
	const struct report_format *format = report_format_find("ndjson");
	struct run_info info = sample_info(1);
	struct summary summary = {.info = info};
	struct report_style style = {0};
	char *text = NULL, *line;
	struct report *report;
	json_t *record;
	size_t size;

	style.out = open_memstream(&text, &size);
	assert_non_null(style.out);
	report = format->begin(&style);
	assert_non_null(report);
	assert_int_equal(format->run(report, &info), 0);
	assert_int_equal(format->call(report, call), 0);
	assert_int_equal(format->summary(report, &summary), 0);
	assert_int_equal(format->end(report, false), 0);
	fclose(style.out);
	for (line = drop_after(text, free); i--;)
		line = strchr(line, '\n') + 1;
	record = json_loadb(line, strcspn(line, "\n"), JSON_REJECT_DUPLICATES, NULL);
	return json_of_test(record);
}

/* The parts add up. What the server did is null if it is not known. */
TEST(a_call_is_a_record_of_its_own)
{
	struct call call = {
		.channel = 7,
		.transport = TRANSPORT_TCP,
		.client = {.tid = 11, .comm = "client"},
		.server = {.tid = 12, .comm = "server"},
		.requests = 2,
		.answers = 3,
		.sent_ns = 1000,
		.received_ns = 1100,
		.answered_ns = 1400,
		.first_back_ns = 1410,
		.back_ns = 1450,
		.match = CALL_IN_TURN,
		.is_ambiguous = true,
		.has_states = true,
		.state_ns = {[SERVICE_ON_CPU] = 290, [SERVICE_RUNQUEUE] = 10},
	};
	json_t *record = record_of(&call, 1);

	assert_text_at(record, "kind", "call");
	assert_int_equal(json_number_at(record, "channel"), 7);
	assert_text_at(record, "transport", "tcp");
	assert_int_equal(json_number_at(record, "client_tid"), 11);
	assert_text_at(record, "server_comm", "server");
	assert_int_equal(json_number_at(record, "request_sent_ns"), 1000);
	assert_int_equal(json_number_at(record, "round_trip_ns"), 450);
	assert_int_equal(json_number_at(record, "request_ns"), 100);
	assert_int_equal(json_number_at(record, "service_ns"), 300);
	assert_int_equal(json_number_at(record, "response_ns"), 50);
	assert_int_equal(json_number_at(record, "response_first_ns"), 10);
	assert_int_equal(json_number_at(record, "on_cpu_ns"), 290);
	assert_int_equal(json_number_at(record, "runqueue_ns"), 10);
	assert_int_equal(json_number_at(record, "blocked_ns"), 0);
	assert_int_equal(json_number_at(record, "requests"), 2);
	assert_int_equal(json_number_at(record, "answers"), 3);
	assert_text_at(record, "match", "fifo");
	assert_true(json_is_false(json_object_get(record, "guessed")));
	assert_true(json_is_true(json_object_get(record, "ambiguous")));
	call.has_states = false;
	assert_null_at(record_of(&call, 1), "on_cpu_ns");
	record = record_of(&call, 2);
	assert_int_equal(json_number_at(record, "calls"), 1);
	assert_int_equal(json_number_at(record, "messages"), 0);
}
