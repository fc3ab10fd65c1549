/* SPDX-License-Identifier: BSD-2-Clause */
#include "support/window_file.h"

#include "cli/condition.h"
#include "command/watch/watch.h"

#include <stdio.h>

struct session {
	struct watch *watch;
	struct analysis *analysis;
	uint64_t messages;
};

static int on_message(void *ctx, const struct message *message)
{
	struct session *session = ctx;

	session->messages++;
	return watch__message(session->watch, message);
}

static int on_built(void *ctx, const struct message *message)
{
	return watch__built(((struct session *)ctx)->watch, message);
}

static int on_call(void *ctx, const struct call *call)
{
	return watch__call(((struct session *)ctx)->watch, call);
}

/*
 *	drain 1      drain 2      drain 3
 *	|------|     |------|     |------|
 *	begin 1      begin 2      begin 3
 *
 * The watermark of a drain has the start of the drain before. So the end of drain 1 is not after
 * the watermark of drain 3.
 */
static uint64_t drain_end(const struct tape *tape, size_t watermark)
{
	int left = 2;

	for (size_t i = watermark + 1; i < tape->cnt; i++) {
		const struct record_watermark *later = (const void *)tape->record[i];

		if (later->head.type == RECORD_WATERMARK && !--left)
			return later->before_ns;
	}
	return UINT64_MAX - 1;
}

static void end_drain(struct session *session, const struct tape *tape, size_t i)
{
	const struct record_watermark *watermark = (const void *)tape->record[i];

	assert_int_equal(watch__end_drain(session->watch, drain_end(tape, i), watermark->before_ns,
					  analysis__horizon_ns(session->analysis)),
			 0);
}

static void put_all(struct session *session, const struct tape *tape)
{
	for (size_t i = 0; i < tape->cnt; i++) {
		assert_int_equal(analysis__record(session->analysis, tape->record[i]), 0);
		assert_int_equal(watch__record(session->watch, tape->record[i]), 0);
		if (tape->record[i]->type == RECORD_WATERMARK)
			end_drain(session, tape, i);
	}
	assert_int_equal(analysis__finish(session->analysis), 0);
	assert_int_equal(watch__finish(session->watch, UINT64_MAX - 1), 0);
}

uint64_t window_file_write(const char *path, struct run_info *info, const struct tape *tape,
			   const char *text, uint64_t keep_ns)
{
	struct recording_writer *writer = recording__create(path);
	struct condition condition;
	struct condition_error error;
	struct session session = {0};
	const struct analysis_request request = {.on_message = on_message,
						 .on_built = on_built,
						 .on_call = on_call,
						 .ctx = &session};

	assert_int_equal(condition_parse(text, &condition, &error), 0);
	snprintf(info->condition, sizeof(info->condition), "%s", text);
	info->keep_ns = keep_ns;
	session.watch = watch__new(&(struct watch_spec){
		.info = info, .trigger = &condition, .keep_ns = keep_ns, .recording = writer});
	session.analysis = analysis__new(info, &request);
	assert_non_null(writer);
	assert_non_null(session.watch);
	assert_non_null(session.analysis);
	watch__begin(session.watch, session.analysis);
	assert_int_equal(recording__begin_run(writer, info), 0);
	put_all(&session, tape);
	assert_int_equal(recording__keep_summary(writer, analysis__summary(session.analysis)), 0);
	assert_int_equal(recording__close(writer), 0);
	watch__free(session.watch);
	analysis__free(session.analysis);
	return session.messages;
}
