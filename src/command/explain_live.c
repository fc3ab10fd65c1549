/* SPDX-License-Identifier: BSD-2-Clause */
/* Explains what a run or an attach has just recorded. */
#include "command/explain_live.h"

#include "command/explain_recording.h"
#include "command/output.h"
#include "util/file_place.h"
#include "util/log.h"
#include "util/temporary_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define TITLE_LEN 256

static const struct call_options no_calls;

static int open_temporary(struct explain_live *live, struct output *output)
{
	const char *place = temporary_file_folder();
	char title[TITLE_LEN];
	int err;

	live->fd = temporary_file_open(place);
	if (live->fd < 0) {
		err = errno;
		log_error("cannot record what is to be explained: '%s': %s: %s, set TMPDIR to "
			  "another folder, or use --record FILE",
			  place, strerror(err), file_place_remedy(err));
		return -err;
	}
	snprintf(live->path, sizeof(live->path), "/dev/fd/%d", live->fd);
	snprintf(title, sizeof(title), "temporary file in %s", place);
	output->recording = recording__create_titled(live->path, title);
	return output->recording ? 0 : -errno;
}

/* A pipe cannot be read again. What else is wrong with the place has been logged. */
static int check_record(const char *record)
{
	if (!file_place_is_special(record))
		return 0;
	log_error("--explain: --record '%s': it is no regular file, and cannot be read again: name "
		  "another file, or leave out one of them",
		  record);
	return -EINVAL;
}

int explain_live_begin(struct explain_live *live, const struct explain_live_options *options,
		       const struct call_options *calls, struct output *output, const char *record)
{
	*live = (struct explain_live){.fd = -1, .record = record};
	if (!options->is_asked)
		return 0;
	live->options = options;
	live->calls = calls ?: &no_calls;
	return record ? check_record(record) : open_temporary(live, output);
}

int explain_live_show(struct explain_live *live, struct output *output, bool (*is_over)(void))
{
	const struct explain_job job = {
		.path = live->path[0] ? live->path : live->record,
		.select = live->options ? &live->options->select : NULL,
		.calls = live->calls,
		.no_limit = true,
		.is_lenient = true,
		.is_over = is_over,
		.output = output,
	};
	int err;

	if (!live->options || !output->has_content)
		return 0;
	err = output_end_recording(output);
	if (!err)
		err = explain_recording(&job);
	if (err == -EINTR) {
		log_warning("there is no explanation: interrupted: the report above is complete "
			    "without it");
		return 0;
	}
	return err;
}

void explain_live_end(struct explain_live *live)
{
	if (live->options && live->fd >= 0)
		close(live->fd);
	*live = (struct explain_live){.fd = -1};
}
