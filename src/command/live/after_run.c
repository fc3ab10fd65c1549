/* SPDX-License-Identifier: BSD-2-Clause */
/* Explains or reports what a run or an attach has just recorded. */
#include "command/live/after_run.h"

#include "command/message_filter.h"
#include "command/output.h"
#include "command/recorded/recorded.h"
#include "report/format.h"
#include "util/file_place.h"
#include "util/log.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define TITLE_LEN 256

static int open_temporary(struct after_run *after, struct output *output)
{
	const char *place = temporary_file_folder();
	char title[TITLE_LEN];
	int err;

	after->fd = temporary_file_open(place);
	if (after->fd < 0) {
		err = errno;
		log_error("cannot record what is to be explained: '%s': %s: %s, set TMPDIR to "
			  "another folder, or use --record FILE",
			  place, strerror(err), file_place_remedy(err));
		return -err;
	}
	snprintf(after->path, sizeof(after->path), "/dev/fd/%d", after->fd);
	snprintf(title, sizeof(title), "temporary file in %s", place);
	output->recording = recording__create_titled(after->path, title);
	return output->recording ? 0 : -errno;
}

/* A pipe cannot be read again. What else is wrong with the place has been logged. */
static int after_run_check_record(const char *record, const struct report_format *format)
{
	const char *option = format->wants_recording ? "--format" : "--explain";

	if (!file_place_is_special(record))
		return 0;
	log_error("%s: --record '%s': it is no regular file, and cannot be read again: name "
		  "another file, or leave out one of them",
		  option, record);
	return -EINVAL;
}

int after_run_begin(struct after_run *after, const struct trace_options *trace,
		    const struct call_options *calls, struct output *output)
{
	static const struct call_options no_calls;
	const char *record = trace->record;

	*after =
		(struct after_run){.fd = -1, .is_asked = trace->explain.is_asked, .record = record};
	/* The message of --stop-at is explained without being asked. */
	if (!after->is_asked && !(trace->watch.stop.step_cnt && output->format->explanation))
		return 0;
	after->is_begun = true;
	after->select = trace->explain.select;
	after->calls = calls ?: &no_calls;
	output->waits = output->format->wants_recording;
	return record ? after_run_check_record(record, output->format)
		      : open_temporary(after, output);
}

static int after_run_explain(const struct recorded_job *job)
{
	int err = explain_recording(job);

	if (err == -EINTR) {
		log_warning("there is no explanation: interrupted: the report above is complete "
			    "without it");
		return 0;
	}
	return err;
}

static int after_run_report(const struct recorded_job *job)
{
	struct recording_reader *reader = recording__open(job->path);
	struct output *output = job->output;
	struct run_info info;
	int err;

	if (!reader)
		return -errno;
	output->waits = false;
	output->is_live = true;
	if (job->select->given)
		select_text(job->select, output->select);
	err = recording__next_run(reader, &info);
	if (err > 0)
		err = report_recording(job, reader, &info);
	recording__free(reader);
	if (err == -EINTR) {
		log_error("there is no report: interrupted while it was made: record with "
			  "--record FILE, and use ipctrace report FILE");
		output->has_content = false;
	}
	return err;
}

/* What is explained is the message or call that has ended tracing. */
static void select_stop(struct select_options *select, const struct occasion *stopped_by)
{
	*select = (struct select_options){
		.selection = {.has_message = true,
			      .message_channel = stopped_by->channel,
			      .message_position = stopped_by->position},
		.has_unit = true,
		.unit = stopped_by->is_call ? UNIT_CALL : UNIT_MESSAGE,
		.given = "message",
	};
}

int after_run_show(struct after_run *after, const struct occasion *stopped_by,
		   struct output *output, bool (*is_over)(void))
{
	const struct recorded_job job = {
		.path = after->path[0] ? after->path : after->record,
		.select = &after->select,
		.calls = after->calls,
		.no_limit = true,
		.is_lenient = true,
		.is_over = is_over,
		.output = output,
	};
	int err;

	if (stopped_by)
		select_stop(&after->select, stopped_by);
	else if (!after->is_asked)
		return 0;
	if (!after->is_begun || !output->has_result)
		return 0;
	err = output_end_recording(output);
	if (err)
		return err;
	return output->waits ? after_run_report(&job) : after_run_explain(&job);
}

void after_run_end(struct after_run *after)
{
	if (after->is_begun && after->fd >= 0)
		close(after->fd);
	*after = (struct after_run){.fd = -1};
}
