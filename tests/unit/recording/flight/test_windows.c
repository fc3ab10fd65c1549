/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Windows of the recordings in tests/replay: every message and call in a window is as in the
 * whole recording, and none of the time around a trigger is missing.
 */
#include "support/build.h"
#include "support/window_file.h"

#include "recording/recording.h"
#include "report/json/message_line.h"

#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KEEP_NS  5000000ULL
#define AFTER_NS 100000000ULL

/* A message, and its line of ndjson. */
struct heard {
	struct message message;
	char *line;
};

struct ear {
	const struct run_info *info;
	struct heard *heard;
	size_t cnt, room;
	char **call;
	size_t call_cnt, call_room;
};

static char *copy_of(const struct json_line *line)
{
	assert_false(line->failed);
	return strndup(line->text, line->length);
}

static int on_message(void *ctx, const struct message *message)
{
	struct ear *ear = ctx;
	struct json_line line = {0};
	struct message copy = *message;

	/* Rounds of an attach are numbered from the start of the window. */
	if (ear->info->mode == MODE_ATTACH)
		copy.round = copy.client = 0;
	if (ear->cnt == ear->room) {
		ear->room = ear->room ? 2 * ear->room : 64;
		ear->heard = reallocarray(ear->heard, ear->room, sizeof(*ear->heard));
		assert_non_null(ear->heard);
	}
	/* At the end of a window it may not be known that it belongs to one. */
	if (ear->info->mode == MODE_ATTACH)
		copy.has_round = false;
	message_line_put(&line, ear->info, &copy);
	ear->heard[ear->cnt++] = (struct heard){.message = copy, .line = copy_of(&line)};
	json_line_free(&line);
	return 0;
}

static int on_call(void *ctx, const struct call *call)
{
	struct ear *ear = ctx;
	struct json_line line = {0};
	struct call copy = *call;

	copy.number = copy.parent = 0;
	if (ear->call_cnt == ear->call_room) {
		ear->call_room = ear->call_room ? 2 * ear->call_room : 64;
		ear->call = reallocarray(ear->call, ear->call_room, sizeof(*ear->call));
		assert_non_null(ear->call);
	}
	call_line_put(&line, &copy);
	ear->call[ear->call_cnt++] = copy_of(&line);
	json_line_free(&line);
	return 0;
}

static void ear_free(struct ear *ear)
{
	for (size_t i = 0; i < ear->cnt; i++)
		free(ear->heard[i].line);
	for (size_t i = 0; i < ear->call_cnt; i++)
		free(ear->call[i]);
	free(ear->heard);
	free(ear->call);
	*ear = (struct ear){0};
}

static struct window_summary listen(struct ear *ear, struct run_info *info,
				    struct recording_reader *reader, struct tape *tape)
{
	struct window_summary windows;
	const struct analysis_request request = {
		.on_message = on_message, .on_call = on_call, .ctx = ear};
	struct analysis *analysis = analysis__new(info, &request);
	const struct record *record;

	ear->info = info;
	assert_non_null(analysis);
	while ((record = recording__read(reader))) {
		if (tape)
			tape_add(tape, record);
		assert_int_equal(analysis__record(analysis, record), 0);
	}
	assert_int_equal(analysis__finish(analysis), 0);
	windows = analysis__summary(analysis)->windows;
	analysis__free(analysis);
	return windows;
}

static int compare_latencies(const void *a, const void *b)
{
	const struct heard *x = a, *y = b;

	return (x->message.latency_ns > y->message.latency_ns) -
	       (x->message.latency_ns < y->message.latency_ns);
}

/* So that about this many messages are slower. */
static uint64_t limit_of(const struct ear *whole, size_t slower)
{
	struct heard *copy = calloc(whole->cnt + 1, sizeof(*copy));
	uint64_t limit_ns = 0;

	assert_non_null(copy);
	if (whole->cnt)
		memcpy(copy, whole->heard, whole->cnt * sizeof(*copy));
	qsort(copy, whole->cnt, sizeof(*copy), compare_latencies);
	if (whole->cnt > slower)
		limit_ns = copy[whole->cnt - 1 - slower].message.latency_ns;
	free(copy);
	return limit_ns;
}

static const struct heard *find(const struct ear *ear, const struct message *message)
{
	for (size_t i = 0; i < ear->cnt; i++) {
		const struct message *other = &ear->heard[i].message;

		if (other->channel == message->channel && other->position == message->position &&
		    other->send_ns == message->send_ns)
			return &ear->heard[i];
	}
	return NULL;
}

static bool has_call(const struct ear *ear, const char *line)
{
	for (size_t i = 0; i < ear->call_cnt; i++) {
		if (!strcmp(ear->call[i], line))
			return true;
	}
	return false;
}

static uint64_t begin_of(const struct message *message)
{
	return message->has_stamp ? message->stamp_ns : message->send_ns;
}

/* A message between the start of a window and the end of its trigger is in it. */
static bool has_to_be_there(const struct message *message, const struct window_summary *windows)
{
	for (uint32_t i = 0; i < windows->trigger_cnt; i++) {
		const struct window_trigger *trigger = &windows->trigger[i];
		uint64_t round_ns = message->has_round && !message->has_stamp
					    ? message->component_ns[COMPONENT_DISPATCH]
					    : 0;

		if (begin_of(message) - round_ns >= trigger->from_ns - KEEP_NS &&
		    message->recv_ns <= trigger->at_ns)
			return true;
	}
	return false;
}

static void compare(const char *name, const struct ear *whole, const struct ear *part,
		    const struct window_summary *windows)
{
	for (size_t i = 0; i < part->cnt; i++) {
		const struct heard *other = find(whole, &part->heard[i].message);

		/* What began before the first window is outside of it. */
		assert_true(begin_of(&part->heard[i].message) >=
			    windows->trigger[0].from_ns - KEEP_NS);
		if (!other || strcmp(other->line, part->heard[i].line))
			fail_msg("%s:\nwindow %s\nwhole  %s", name, part->heard[i].line,
				 other ? other->line : "-");
	}
	for (size_t i = 0; i < part->call_cnt; i++) {
		if (!has_call(whole, part->call[i]))
			fail_msg("%s: only in a window: %s", name, part->call[i]);
	}
	for (size_t i = 0; i < whole->cnt; i++) {
		const struct message *message = &whole->heard[i].message;

		if (has_to_be_there(message, windows) && !find(part, message))
			fail_msg("%s: not in its window: %s", name, whole->heard[i].line);
	}
}

static void compare_windows(const char *name, struct run_info *info, const struct tape *tape,
			    const struct ear *whole, size_t slower)
{
	char path[] = "/tmp/ipctrace-test-XXXXXX", condition[64];
	struct window_summary windows;
	struct recording_reader *reader;
	struct run_info read;
	struct ear part = {0};
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	snprintf(condition, sizeof(condition), "latency>%" PRIu64 "ns", limit_of(whole, slower));
	assert_int_equal(window_file_write(path, info, tape, condition, KEEP_NS), whole->cnt);
	reader = recording__open(path);
	assert_non_null(reader);
	assert_int_equal(recording__next_run(reader, &read), 1);
	assert_string_equal(read.condition, condition);
	windows = listen(&part, &read, reader, NULL);
	assert_true(recording__is_whole(reader));
	assert_true(windows.known || !slower);
	assert_int_equal(windows.messages, part.cnt);
	assert_int_equal(windows.shortened, 0);
	if (slower && whole->cnt > slower)
		assert_true(windows.triggers > 0);
	compare(name, whole, &part, &windows);
	print_message("%s: %" PRIu64 " windows, %zu of %zu messages\n", name, windows.windows,
		      part.cnt, whole->cnt);
	ear_free(&part);
	recording__free(reader);
	unlink(path);
}

/* Reads a recording and compares; how many messages with both ends it has. */
static size_t try_recording(const char *path)
{
	struct recording_reader *reader = recording__open(path);
	struct run_info info;
	size_t cnt = 0;

	assert_non_null(reader);
	while (recording__next_run(reader, &info) > 0) {
		struct tape tape = {0};
		struct ear whole = {0};

		listen(&whole, &info, reader, &tape);
		cnt += whole.cnt;
		if (whole.cnt) {
			compare_windows(path, &info, &tape, &whole, 1);
			compare_windows(path, &info, &tape, &whole, 7);
		}
		ear_free(&whole);
		tape_free(&tape);
	}
	recording__free(reader);
	return cnt;
}

TEST(windows_are_exact)
{
	size_t cnt = 0;
	glob_t found;

	assert_int_equal(glob("tests/replay/*.ipct", 0, NULL, &found), 0);
	for (size_t i = 0; i < found.gl_pathc; i++)
		cnt += try_recording(found.gl_pathv[i]);
	globfree(&found);
	assert_true(cnt > 1000);
}
