/* SPDX-License-Identifier: BSD-2-Clause */
/* --format ndjson: a line per message, fields in the documented order, null for the unknown. */
#include "support/build.h"
#include "support/capture.h"
#include "support/json_report.h"
#include "support/sample.h"

#include "transport/transport.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The documented fields. More may follow. */
static const char *const fields[] = {
	"channel",      "transport",  "seq",         "round",       "client",       "bytes",
	"receives",     "sender_tid", "sender_comm", "sender_cpu",  "receiver_tid", "receiver_comm",
	"receiver_cpu", "send_ns",    "latency_ns",  "dispatch_ns", "send_path_ns", "wakeup_ns",
	"runqueue_ns",  "switch_ns",  "busy_ns",     "blocked_ns",  "receive_ns",   "return_ns",
	"path",         "match",      "blame"};

/* The report of a run with these messages. */
static char *show(const struct run_info *info, const struct message *message, size_t cnt)
{
	const struct report_format *format = report_format_find("ndjson");
	struct summary summary = {.info = *info};
	struct report_style style = {0};
	char *text = NULL;
	struct report *report;
	size_t size;

	style.out = open_memstream(&text, &size);
	assert_non_null(style.out);
	report = format->begin(&style);
	assert_non_null(report);
	assert_int_equal(format->run(report, info), 0);
	for (size_t i = 0; i < cnt; i++)
		assert_int_equal(format->message(report, &message[i]), 0);
	assert_int_equal(format->summary(report, &summary), 0);
	assert_int_equal(format->end(report, false), 0);
	fclose(style.out);
	return drop_after(text, free);
}

/* Line i, from 0. */
static json_t *line_of(const char *text, size_t i)
{
	json_error_t error;
	json_t *json;

	while (i-- && text)
		text = strchr(text, '\n') + 1;
	json = json_loadb(text, strcspn(text, "\n"), JSON_REJECT_DUPLICATES, &error);
	if (!json)
		fail_msg("%s in:\n%.500s", error.text, text);
	return json_of_test(json);
}

static json_t *record_of(const struct run_info *info, const struct message *message)
{
	char *text = show(info, message, 1);
	json_t *record = line_of(text, 1);

	assert_int_equal(count_lines(text), 3);
	return record;
}

static int64_t integer(json_t *record, const char *name)
{
	json_t *value = json_object_get(record, name);

	if (!json_is_integer(value))
		fail_msg("%s: %s", name, value ? "not an integer" : "absent");
	return json_integer_value(value);
}

static const char *text_of(json_t *record, const char *name)
{
	json_t *value = json_object_get(record, name);

	if (!json_is_string(value))
		fail_msg("%s: %s", name, value ? "no text" : "absent");
	return json_string_value(value);
}

static void assert_nulls(json_t *record, const char *const *name, size_t cnt)
{
	for (size_t i = 0; i < cnt; i++)
		assert_null_at(record, name[i]);
}

/* What a test begins with. */
static struct run_info info;
static struct message message;

static int setup(void **state)
{
	info = sample_info(1);
	message = sample_message(1, 0);
	return 0;
}

EACH_TEST(setup, NULL)

TEST(a_record_has_the_documented_fields_in_their_order)
{
	json_t *record = record_of(&info, &message);
	const char *name;
	json_t *value;
	size_t i = 0;

	json_object_foreach(record, name, value)
	{
		if (i < ARRAY_SIZE(fields))
			assert_string_equal(name, fields[i++]);
	}
	assert_int_equal(i, ARRAY_SIZE(fields));
}

TEST(the_header_comes_first_and_names_the_schema)
{
	struct run_info info = sample_info(3);
	char *text = show(&info, NULL, 0);
	json_t *header = line_of(text, 0);

	assert_int_equal(count_lines(text), 2);
	assert_string_equal(text_of(header, "schema"), "ipctrace.messages/1");
	assert_string_equal(text_of(json_object_get(header, "host"), "kernel"), "6.18.44");
	assert_int_equal(integer(json_object_get(header, "workload"), "clients"), 3);
}

TEST(the_header_lists_exactly_the_fields_of_the_records)
{
	char *text = show(&info, &message, 1);
	json_t *header = line_of(text, 0), *record = line_of(text, 1), *value;
	json_t *names = json_object_get(header, "fields");
	const char *name;
	size_t i = 0;

	assert_int_equal(json_array_size(names), json_object_size(record));
	json_object_foreach(record, name, value)
		assert_string_equal(name, json_string_value(json_array_get(names, i++)));
}

TEST(the_values_are_those_of_the_message)
{
	struct run_info info = sample_info(2);
	struct message message = sample_message(2, 7);
	json_t *record = record_of(&info, &message);

	assert_int_equal(integer(record, "channel"), 12);
	assert_string_equal(text_of(record, "transport"), "uds");
	assert_int_equal(integer(record, "seq"), 7);
	assert_int_equal(integer(record, "round"), 7);
	assert_int_equal(integer(record, "client"), 2);
	assert_int_equal(integer(record, "bytes"), 64);
	assert_int_equal(integer(record, "receives"), 1);
	assert_int_equal(integer(record, "sender_tid"), 100);
	assert_string_equal(text_of(record, "sender_comm"), "ipctrace-server");
	assert_int_equal(integer(record, "sender_cpu"), 0);
	assert_int_equal(integer(record, "receiver_tid"), 102);
	assert_string_equal(text_of(record, "receiver_comm"), "ipctrace-client");
	assert_int_equal(integer(record, "receiver_cpu"), 1);
	assert_int_equal(integer(record, "send_ns"), message.send_ns);
	assert_string_equal(text_of(record, "path"), "slept");
	assert_string_equal(text_of(record, "match"), "exact");
}

TEST(the_components_add_up_to_the_latency)
{
	struct run_info info = sample_info(2);
	struct message message = sample_message(2, 7);
	json_t *record = record_of(&info, &message);
	int64_t sum_ns = 0;

	for (int i = 0; i < NR_COMPONENTS; i++) {
		char name[32];

		snprintf(name, sizeof(name), "%s_ns", components[i].name);
		assert_int_equal(integer(record, name), message.component_ns[i]);
		sum_ns += integer(record, name);
	}
	assert_int_equal(integer(record, "latency_ns"), sum_ns);
}

TEST(blame_is_a_list_that_adds_up_to_the_run_queue)
{
	json_t *record = record_of(&info, &message);
	json_t *blame = json_object_get(record, "blame"), *first = json_array_get(blame, 0);
	json_t *second = json_array_get(blame, 1);

	assert_int_equal(json_array_size(blame), 2);
	assert_string_equal(text_of(first, "class"), "server");
	assert_string_equal(text_of(first, "comm"), "ipctrace-server");
	assert_int_equal(integer(first, "tid"), 100);
	assert_string_equal(text_of(second, "class"), "irq");
	assert_true(json_is_null(json_object_get(second, "comm")));
	assert_int_equal(integer(first, "ns") + integer(second, "ns"),
			 integer(record, "runqueue_ns"));
}

TEST(a_message_that_did_not_wait_has_an_empty_blame)
{
	json_t *record;

	message.blame_cnt = 0;
	record = record_of(&info, &message);
	assert_true(json_is_array(json_object_get(record, "blame")));
	assert_int_equal(json_array_size(json_object_get(record, "blame")), 0);
}

TEST(without_a_round_its_fields_are_null)
{
	static const char *const none[] = {"round", "client", "dispatch_ns", "return_ns"};
	json_t *record;

	message.has_round = false;
	record = record_of(&info, &message);
	assert_nulls(record, none, ARRAY_SIZE(none));
	assert_int_equal(integer(record, "runqueue_ns"), message.component_ns[COMPONENT_RUNQUEUE]);
}

TEST(without_a_stamp_its_instants_are_null)
{
	static const char *const none[] = {"stamp_ns", "user_ns"};
	json_t *record;

	message.has_stamp = false;
	record = record_of(&info, &message);
	assert_nulls(record, none, ARRAY_SIZE(none));
	assert_int_equal(integer(record, "client"), 1);
}

TEST(an_exchange_has_a_direction_and_a_due_time)
{
	json_t *record = record_of(&info, &message);

	assert_true(json_is_false(json_object_get(record, "to_server")));
	assert_null_at(record, "due_ns");
	message.to_server = true;
	message.due_ns = 12345;
	record = record_of(&info, &message);
	assert_true(json_is_true(json_object_get(record, "to_server")));
	assert_int_equal(integer(record, "due_ns"), 12345);
}

TEST(every_transport_has_the_name_of_its_option)
{
	const struct transport_ops *transport;

	for (size_t i = 0; (transport = transports[i]); i++) {
		json_t *record;

		message.transport = transport->id;
		record = record_of(&info, &message);
		assert_string_equal(json_string_value(json_object_get(record, "transport")),
				    transport->name);
	}
}

TEST(what_only_syscalls_show_is_null_without_them)
{
	static const char *const none[] = {"send_ns", "recv_ns", "send_path_ns", "busy_ns",
					   "return_ns"};
	json_t *record;

	assert_null_at(record_of(&info, &message), "taken_ns");
	message.hides_calls = true;
	record = record_of(&info, &message);
	assert_nulls(record, none, ARRAY_SIZE(none));
	assert_int_equal(integer(record, "taken_ns"), message.recv_ns);
	assert_int_equal(integer(record, "queued_ns"), message.queued_ns);
	assert_int_equal(integer(record, "dispatch_ns"), message.component_ns[COMPONENT_DISPATCH]);
	assert_int_equal(integer(record, "receive_ns"), message.component_ns[COMPONENT_RECEIVE]);
}

static const char *unseen_of(const json_t *record, size_t i)
{
	return json_string_value(json_array_get(json_object_get(record, "unseen"), i));
}

TEST(an_untraced_switch_is_null)
{
	json_t *record;

	message.shows_switch = false;
	assert_null_at(record_of(&info, &message), "switch_ns");
	message.shows_switch = message.unseen_switch = true;
	message.component_ns[COMPONENT_SWITCH] = 0;
	record = record_of(&info, &message);
	assert_null_at(record, "switch_ns");
	assert_int_equal(integer(record, "receive_ns"), message.component_ns[COMPONENT_RECEIVE]);
}

TEST(a_wait_with_an_untraced_begin_is_null)
{
	json_t *record;

	message.unseen_wakeup = true;
	record = record_of(&info, &message);
	assert_int_equal(integer(record, "runqueue_ns"), message.component_ns[COMPONENT_RUNQUEUE]);
	message.component_ns[COMPONENT_RUNQUEUE] = 0;
	assert_null_at(record_of(&info, &message), "runqueue_ns");
}

TEST(the_traced_ones_of_several_switches_have_a_time)
{
	json_t *record;

	message.unseen_switch = true;
	record = record_of(&info, &message);
	assert_int_equal(integer(record, "switch_ns"), message.component_ns[COMPONENT_SWITCH]);
}

/* A known time may still lack a part. */
TEST(what_lacks_a_part_is_named)
{
	json_t *record = record_of(&info, &message);

	assert_int_equal(json_array_size(json_object_get(record, "unseen")), 0);
	message.unseen_wakeup = message.unseen_switch = true;
	record = record_of(&info, &message);
	assert_string_equal(unseen_of(record, 0), "runqueue");
	assert_string_equal(unseen_of(record, 1), "switch");
}

TEST(every_path_and_match_has_its_word)
{
	static const char *const paths[] = {"slept", "runnable", "running", "blocked"};
	static const char *const matches[] = {"exact", "resynced", "ambiguous", "approximate"};
	struct run_info info = sample_info(1);

	for (int i = 0; i < 4; i++) {
		struct message message = sample_message(1, 0);
		json_t *record;

		message.path = i;
		message.match = i;
		record = record_of(&info, &message);
		assert_string_equal(text_of(record, "path"), paths[i]);
		assert_string_equal(text_of(record, "match"), matches[i]);
	}
}

TEST(any_name_stays_on_its_line)
{
	static const char *const names[] = {"a\nb", "\"", "\\", "gr\xfcn", "\xff\xff", "grün\r\n"};
	struct run_info info = sample_info(1);

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct message message = sample_message(1, 0);
		json_t *record;

		snprintf(message.sender.comm, RECORD_COMM_LEN, "%s", names[i]);
		record = record_of(&info, &message);
		assert_true(strlen(text_of(record, "sender_comm")) >= strlen(names[i]));
	}
}

TEST(a_name_that_is_not_known_is_null)
{
	static const char *const none[] = {"sender_comm", "receiver_comm", "transport"};

	message.sender.comm[0] = message.receiver.comm[0] = '\0';
	message.transport = NR_TRANSPORT_IDS;
	assert_nulls(record_of(&info, &message), none, ARRAY_SIZE(none));
}

TEST(messages_keep_their_order)
{
	struct message message[20];
	struct run_info info = sample_info(2);
	char *text;

	for (size_t i = 0; i < ARRAY_SIZE(message); i++)
		message[i] = sample_message(1 + i % 2, i / 2);
	text = show(&info, message, ARRAY_SIZE(message));
	assert_int_equal(count_lines(text), 2 + ARRAY_SIZE(message));
	for (size_t i = 0; i < ARRAY_SIZE(message); i++) {
		json_t *record = line_of(text, 1 + i);

		assert_int_equal(integer(record, "client"), 1 + i % 2);
		assert_int_equal(integer(record, "round"), i / 2);
	}
}

/* A consumer needs this to know that the output is complete. */
TEST(the_last_line_counts_and_says_whether_that_is_all)
{
	struct message message[5];
	struct run_info info = sample_info(2);
	json_t *end;
	char *text;

	for (size_t i = 0; i < ARRAY_SIZE(message); i++)
		message[i] = sample_message(1 + i % 2, i / 2);
	text = show(&info, message, ARRAY_SIZE(message));
	end = line_of(text, 1 + ARRAY_SIZE(message));
	assert_string_equal(text_of(end, "end"), "ipctrace.messages/1");
	assert_true(json_is_false(json_object_get(end, "truncated")));
	assert_int_equal(integer(end, "runs"), 1);
	assert_int_equal(integer(end, "messages"), ARRAY_SIZE(message));
	assert_int_equal(integer(end, "incomplete"), 0);
	assert_int_equal(integer(end, "lost"), 0);
}

TEST(every_run_of_a_run_matrix_has_its_header)
{
	struct summary *one = sample_summary(1);
	struct summary *two = sample_summary(2);
	const struct summary *const runs[] = {one, two};
	char *text = sample_show("ndjson", runs, 2);

	assert_int_equal(count_lines(text), 3);
	for (int64_t i = 0; i < 2; i++) {
		json_t *header = line_of(text, i);

		assert_int_equal(integer(json_object_get(header, "workload"), "clients"), i + 1);
	}
}

TEST(a_full_disk_is_an_error)
{
	struct summary *summary = sample_summary(1);

	assert_true(sample_show_full("ndjson", summary) < 0);
}

TEST(a_message_of_an_attach_has_no_round)
{
	static const char *const nulls[] = {"round",     "client",  "dispatch_ns", "return_ns",
					    "to_server", "user_ns", "stamp_ns"};
	struct run_info info = sample_info(0);
	struct message message = sample_message(1, 3);
	json_t *record;

	info.mode = MODE_ATTACH;
	info.workload = (struct workload_spec){0};
	message.has_round = message.has_stamp = false;
	message.client = message.round = 0;
	message.match = MATCH_RESYNCED;
	message.transport = TRANSPORT_UDS_STREAM;
	record = record_of(&info, &message);
	assert_nulls(record, nulls, ARRAY_SIZE(nulls));
	assert_string_equal(json_string_value(json_object_get(record, "match")), "resynced");
	assert_string_equal(json_string_value(json_object_get(record, "transport")), "uds-stream");
	assert_int_equal(json_integer_value(json_object_get(record, "send_ns")), message.send_ns);
}

/* Without a stamp, there is neither an end behind the receive nor a direction. */
TEST(a_message_in_a_round_of_an_attach_has_its_number_and_dispatch)
{
	static const char *const nulls[] = {"return_ns", "to_server", "user_ns", "stamp_ns"};
	struct run_info info = sample_info(0);
	struct message message = sample_message(1, 3);
	json_t *record;

	info.mode = MODE_ATTACH;
	info.workload = (struct workload_spec){0};
	message.has_stamp = false;
	message.client = 2;
	message.round = 41;
	message.component_ns[COMPONENT_DISPATCH] = 14054000;
	record = record_of(&info, &message);
	assert_nulls(record, nulls, ARRAY_SIZE(nulls));
	assert_int_equal(integer(record, "round"), 41);
	assert_int_equal(integer(record, "client"), 2);
	assert_int_equal(integer(record, "dispatch_ns"), 14054000);
	assert_int_equal(integer(record, "latency_ns"), message.latency_ns);
}
