/* SPDX-License-Identifier: BSD-2-Clause */
/* The text header of a recording: every field survives, impossible values are refused. */
#include "support/build.h"
#include "support/capture.h"
#include "support/same_info.h"
#include "support/sample.h"

#include "model/kept_summary.h"
#include "recording/header.h"
#include "recording/recording.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct run_info info_with_everything(void)
{
	struct run_info info = {0};

	strcpy(info.version, "12.34-rc5");
	strcpy(info.command_line, "ipctrace --cpus 'server=0' \"quoted\" \\ \t gr\xc3\xbc\xc3\x9f");
	strcpy(info.host.kernel, "6.18.44-custom");
	strcpy(info.host.arch, "aarch64");
	info.host.cpus = UINT32_MAX;
	strcpy(info.host.preemption, "full");
	strcpy(info.host.clocksource, "arch_sys_counter");
	strcpy(info.host.virtual_machine, "kvm");
	strcpy(info.workload.transport, "uds");
	strcpy(info.workload.pattern, "push");
	info.workload.clients = CLIENTS_MAX;
	info.workload.messages = 1000000001;
	info.workload.warmup = 1000000002;
	info.workload.period_ns = 86400000000003;
	info.workload.size = 1000000004;
	info.workload.sched_policy = POLICY_DEADLINE;
	info.workload.server_priority = 55;
	info.workload.client_priority = -44;
	info.workload.cpu_affinity = CPUS_LISTS;
	strcpy(info.workload.server_cpus, "0,2");
	strcpy(info.workload.client_cpus, "1,3-5");
	strcpy(info.workload.handler, "exec=gr\xc3\xbcn \"$1\"");
	strcpy(info.workload.load, "while :; do \\true; done");
	info.workload.threads = true;
	info.workload.reader = READER_EPOLL;
	info.workload.read_size = 1000000005;
	info.workload.run = 77;
	strcpy(info.experiment, "colorado");
	info.traced = true;
	info.begin = (struct begin){1795674708352334929, 1026794127690, -12600};
	return info;
}

/* Encodes `info` and decodes it again. */
static void assert_survives(const struct run_info *info)
{
	char *text = recording_header_encode(info), why[256] = "";
	struct run_info got;
	int err;

	assert_non_null(text);
	memset(&got, 0xee, sizeof(got));
	err = recording_header_decode(text, strlen(text), &got, why, sizeof(why));
	free(text);
	if (err)
		fail_msg("not decoded: %s", why);
	assert_same_info(&got, info);
}

TEST(every_field_of_the_run_survives)
{
	struct run_info info = info_with_everything();

	assert_survives(&info);
	info.traced = false;
	info.shows_switch = info.shows_room = info.calls_in_turn = true;
	strcpy(info.server, "redis*");
	strcpy(info.client, "4711");
	info.level = LEVEL_LIGHT;
	assert_survives(&info);
	for (info.workload.sched_policy = 0; info.workload.sched_policy < NR_SCHED_POLICIES;
	     info.workload.sched_policy++)
		assert_survives(&info);
	info.workload.sched_policy = POLICY_RR;
	for (info.workload.cpu_affinity = 0; info.workload.cpu_affinity < NR_CPU_AFFINITIES;
	     info.workload.cpu_affinity++)
		assert_survives(&info);
}

/* The first ones are named, the others counted. */
TEST(children_that_are_not_traced_survive)
{
	struct run_info info = info_with_everything();

	for (uint32_t cnt = 0; cnt < 2 * UNTRACED_NAMED_MAX; cnt++) {
		info.untraced.cnt = cnt;
		if (cnt && cnt <= UNTRACED_NAMED_MAX)
			info.untraced.named[cnt - 1] =
				(struct untraced_process){4710 + cnt, "gr\xc3\xbcn \"1\""};
		assert_survives(&info);
	}
}

TEST(a_list_of_children_that_is_none_is_refused)
{
	static const char *const wrong[] = {
		"{\"count\":-1,\"named\":[]}",
		"{\"count\":1,\"named\":[]}",
		"{\"count\":4,\"named\":[{\"pid\":1,\"comm\":\"a\"}]}",
		"{\"count\":1,\"named\":[{\"pid\":-1,\"comm\":\"a\"}]}",
		"{\"count\":1,\"named\":[{\"pid\":1,\"comm\":7}]}",
	};
	struct run_info info = info_with_everything(), got;
	char *text = recording_header_encode(&info);

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		json_t *json = json_loads(text, 0, NULL);
		char *edited, why[256];

		json_object_set_new(json, "untraced", json_loads(wrong[i], 0, NULL));
		edited = json_dumps(json, JSON_COMPACT);
		assert_int_equal(
			recording_header_decode(edited, strlen(edited), &got, why, sizeof(why)),
			-EINVAL);
		free(edited);
		json_decref(json);
	}
	free(text);
}

/* Fields cover all bytes after the head, except for the padding of one record. */
static void assert_layout_is_whole(const char *name, json_t *layout)
{
	size_t bytes = json_integer_value(json_object_get(layout, "bytes"));
	json_t *field, *fields = json_object_get(layout, "fields");
	size_t i, known = sizeof(struct record);

	json_array_foreach(fields, i, field)
	{
		size_t offset = json_integer_value(json_array_get(field, 1));
		size_t size = json_integer_value(json_array_get(field, 2));

		if (offset < known || offset + size > bytes)
			fail_msg("%s: field %zu is at %zu", name, i, offset);
		known = offset + size;
	}
	assert_int_equal(known, bytes);
}

TEST(every_record_has_a_layout)
{
	struct run_info info = info_with_everything();
	char *text = recording_header_encode(&info);
	json_t *layouts, *layout, *json = json_loads(text, 0, NULL);
	bool seen[NR_RECORD_TYPES] = {0};
	const char *name;

	assert_non_null(json);
	layouts = json_object_get(json, "layouts");
	json_object_foreach(layouts, name, layout)
	{
		json_int_t type = json_integer_value(json_object_get(layout, "type"));

		assert_in_range(type, 1, NR_RECORD_TYPES - 1);
		assert_false(seen[type]);
		seen[type] = true;
		assert_layout_is_whole(name, layout);
	}
#define RECORD(number, TYPE, ...) assert_true(seen[number]);
#include "bpf/record_list.h"
	json_decref(json);
	free(text);
}

TEST(an_empty_and_an_extreme_run_survive)
{
	struct run_info info = {.workload = {.clients = 1, .transport = "uds", .pattern = "flood"}};

	assert_survives(&info);
	info.workload.messages = info.workload.warmup = SERIALIZER_NUMBER_MAX;
	info.workload.period_ns = info.workload.size = SERIALIZER_NUMBER_MAX;
	memset(info.version, 'v', sizeof(info.version) - 1);
	memset(info.command_line, '\x01', sizeof(info.command_line) - 1);
	memset(info.host.kernel, '"', sizeof(info.host.kernel) - 1);
	memset(info.workload.server_cpus, '1', sizeof(info.workload.server_cpus) - 1);
	assert_survives(&info);
}

/* A command line has any bytes: "--record grün.ipct" in Latin-1. */
TEST(a_command_line_that_is_no_utf8_does_not_prevent_the_recording)
{
	struct run_info info = info_with_everything(), got;
	char *text, why[256] = "";

	strcpy(info.command_line, "ipctrace --record gr\xfcn.ipct");
	text = recording_header_encode(&info);
	assert_non_null(text);
	assert_int_equal(recording_header_decode(text, strlen(text), &got, why, sizeof(why)), 0);
	free(text);
	assert_has(got.command_line, "ipctrace --record gr");
	assert_same_workload(&got.workload, &info.workload);
}

/* A long command line is cut at a byte, perhaps within a character. */
TEST(a_command_line_that_is_cut_in_a_character_is_recorded_too)
{
	struct run_info info = info_with_everything();
	char *text;

	memset(info.command_line, 'x', sizeof(info.command_line) - 1);
	info.command_line[sizeof(info.command_line) - 2] = '\xc3';
	text = recording_header_encode(&info);
	assert_non_null(text);
	free(text);
}

TEST(the_header_has_the_layout_of_every_record)
{
	static const char *const names[] = {
		"\"send\"",      "\"receive\"",    "\"slice\"",
		"\"channel\"",   "\"name\"",       "\"role\"",
		"\"tick\"",      "\"stamp\"",      "\"left\"",
		"\"watermark\"", "\"end\"",        "\"changes\"",
		"\"queued_ns\"", "\"loss\"",       "ipctrace.recording/1",
		"\"comm\"",      "CLOCK_MONOTONIC"};
	struct run_info info = info_with_everything();
	char *text = recording_header_encode(&info);

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		assert_has(text, names[i]);
	assert_has(text, "\"send\":{\"type\":1,\"bytes\":40,");
	assert_has(text, "[\"queued_ns\",32,8]");
	free(text);
}

/* Replaces one part of a header and decodes it. */
static int decode_with(const char *from, const char *to)
{
	struct run_info info = sample_info(3);
	char *text = recording_header_encode(&info), why[256] = "", changed[16 * 1024];
	char *at = strstr(text, from);
	int err;

	assert_non_null(at);
	snprintf(changed, sizeof(changed), "%.*s%s%s", (int)(at - text), text, to,
		 at + strlen(from));
	free(text);
	err = recording_header_decode(changed, strlen(changed), &info, why, sizeof(why));
	assert_true(err == 0 || (err == -EINVAL && why[0]));
	return err;
}

TEST(a_header_without_a_field_or_with_an_impossible_value_is_refused)
{
	assert_int_equal(decode_with("\"clients\":3", "\"clients\":3"), 0);
	assert_int_equal(decode_with("\"clients\":3", "\"clients\":0"), -EINVAL);
	assert_int_equal(decode_with("\"clients\":3", "\"clients\":1001"), -EINVAL);
	assert_int_equal(decode_with("\"clients\":3", "\"clients\":-1"), -EINVAL);
	assert_int_equal(decode_with("\"clients\":3", "\"clients\":4294967297"), -EINVAL);
	assert_int_equal(decode_with("\"clients\":3", "\"clients\":\"3\""), -EINVAL);
	assert_int_equal(decode_with("\"clients\":3", "\"customers\":3"), -EINVAL);
	assert_int_equal(decode_with("\"read_size\":0", "\"read_size\":-1"), -EINVAL);
	assert_int_equal(decode_with("\"keeps_slower_ns\":0", "\"keeps_slower_ns\":-1"), -EINVAL);
	assert_int_equal(decode_with("\"keep_ns\":0", "\"keep_ns\":9223372036854775807"), -EINVAL);
	assert_int_equal(decode_with("\"pattern\":\"push\"", "\"pattern\":\"pull\""), -EINVAL);
	assert_int_equal(decode_with("\"transport\":\"uds\"", "\"transport\":\"\""), -EINVAL);
	assert_int_equal(decode_with("\"transport\":\"uds\"", "\"transport\":\"ods\""), -EINVAL);
	assert_int_equal(decode_with("\"policy\":0", "\"policy\":4"), -EINVAL);
	assert_int_equal(decode_with("\"policy\":0", "\"policy\":-1"), -EINVAL);
	assert_int_equal(decode_with("\"placement\":0", "\"placement\":4"), -EINVAL);
	assert_int_equal(decode_with("\"host\":{", "\"toast\":{"), -EINVAL);
	assert_int_equal(decode_with("\"workload\":{", "\"workload\":[],\"old\":{"), -EINVAL);
	assert_int_equal(decode_with("\"kernel\":\"6.18.44\"", "\"kernel\":null"), -EINVAL);
	assert_int_equal(decode_with("\"traced\":true", "\"traced\":1"), -EINVAL);
	assert_int_equal(decode_with("\"unix_ns\":0", "\"unix_ns\":-1"), -EINVAL);
	assert_int_equal(decode_with("\"unix_ns\":0", "\"unix_ns\":null"), -EINVAL);
	assert_int_equal(decode_with("\"ns\":0,\"utc", "\"ns\":-1,\"utc"), -EINVAL);
	assert_int_equal(decode_with("\"utc_offset_s\":0", "\"utc_offset_s\":86401"), -EINVAL);
	assert_int_equal(decode_with("\"utc_offset_s\":0", "\"utc_offset_s\":-2147483648"),
			 -EINVAL);
}

TEST(a_header_without_a_begin_is_an_older_one)
{
	assert_int_equal(decode_with("\"begin\":{", "\"start\":{"), 0);
}

/* A later ipctrace of the same format may add fields. */
TEST(a_field_that_is_not_known_is_passed_over)
{
	assert_int_equal(decode_with("\"clients\":3", "\"more\":[1,2],\"clients\":3"), 0);
	assert_int_equal(decode_with("\"traced\":true", "\"weather\":\"fine\",\"traced\":true"), 0);
}

TEST(text_longer_than_its_field_is_cut)
{
	char longer[3000] = "\"kernel\":\"", why[256];
	struct run_info info = sample_info(3);
	char *text = recording_header_encode(&info), changed[16 * 1024];
	char *at = strstr(text, "\"kernel\":\"");

	memset(longer + strlen(longer), 'k', sizeof(longer) - strlen(longer) - 1);
	snprintf(changed, sizeof(changed), "%.*s%s%s", (int)(at - text), text, longer,
		 at + strlen("\"kernel\":\""));
	free(text);
	assert_int_equal(recording_header_decode(changed, strlen(changed), &info, why, sizeof(why)),
			 0);
	assert_int_equal(strlen(info.host.kernel), SPEC_TEXT_LEN - 1);
	assert_string_equal(info.host.arch, "x86_64");
}

/* An attach has no workload. The zeros in it would be refused for a run. */
TEST(a_header_of_an_attach_keeps_its_target)
{
	struct run_info info = sample_info(0), back;
	char why[256] = "", *header;

	info.mode = MODE_ATTACH;
	info.workload = (struct workload_spec){0};
	strcpy(info.target, "postgres (700)");
	header = recording_header_encode(&info);
	assert_non_null(header);
	assert_int_equal(recording_header_decode(header, strlen(header), &back, why, sizeof(why)),
			 0);
	assert_int_equal(back.mode, MODE_ATTACH);
	assert_string_equal(back.target, "postgres (700)");
	assert_string_equal(back.host.kernel, info.host.kernel);
	assert_int_equal(back.workload.clients, 0);
	free(header);
}

static int decode_changed(const struct run_info *info, const char *name, json_t *value,
			  struct run_info *back)
{
	char why[256] = "", *header = recording_header_encode(info), *changed;
	json_t *json = json_loads(header, 0, NULL);
	int err;

	assert_non_null(json);
	if (value)
		json_object_set_new(json, name, value);
	else
		json_object_del(json, name);
	changed = json_dumps(json, 0);
	err = recording_header_decode(changed, strlen(changed), back, why, sizeof(why));
	assert_int_equal(!err, !why[0]);
	json_decref(json);
	free(changed);
	free(header);
	return err;
}

TEST(a_header_without_a_mode_is_of_a_run)
{
	struct run_info info = sample_info(2), back;

	assert_int_equal(decode_changed(&info, "mode", NULL, &back), 0);
	assert_int_equal(back.mode, MODE_RUN);
	assert_int_equal(decode_changed(&info, "target", NULL, &back), 0);
	assert_string_equal(back.target, "");
}

TEST(an_impossible_mode_is_refused)
{
	struct run_info info = sample_info(2), back;

	assert_int_equal(decode_changed(&info, "mode", json_integer(-1), &back), -EINVAL);
	assert_int_equal(decode_changed(&info, "mode", json_integer(NR_MODES), &back), -EINVAL);
	assert_int_equal(decode_changed(&info, "mode", json_string("attach"), &back), -EINVAL);
	info.workload.clients = 0; /* impossible for a run */
	assert_int_equal(decode_changed(&info, "mode", json_integer(MODE_RUN), &back), -EINVAL);
}

/* A process name has any bytes. Those that are not UTF-8 become '?'. */
TEST(a_target_may_have_any_bytes)
{
	struct run_info info = sample_info(0), back;
	char why[256] = "", *header;

	info.mode = MODE_ATTACH;
	strcpy(info.target, "x\xff\"\n (1)");
	header = recording_header_encode(&info);
	assert_non_null(header);
	assert_int_equal(recording_header_decode(header, strlen(header), &back, why, sizeof(why)),
			 0);
	assert_string_equal(back.target, "x?\"\n (1)");
	free(header);
}
