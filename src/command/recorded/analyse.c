/* SPDX-License-Identifier: BSD-2-Clause */
/* Analyses the records of one run of a recording. */
#include "command/recorded/analyse.h"

#include "container/step_limit.h"
#include "recording/read_ahead.h"
#include "util/log.h"

#include <errno.h>

/* At most so many records. */
static int analyse(struct analysis *analysis, struct recording_reader *reader, bool no_limit,
		   uint64_t steps_per_record, uint64_t records)
{
	struct read_ahead *ahead = read_ahead__new(reader);
	const struct record *record;
	int err = 0;

	if (!ahead)
		return -ENOMEM;
	if (!no_limit)
		step_limit_begin(steps_per_record ? steps_per_record : STEPS_PER_RECORD);
	while (!err && records-- && (record = read_ahead__next(ahead)))
		err = analysis__record(analysis, record);
	read_ahead__free(ahead);
	if (!err)
		err = analysis__finish(analysis);
	step_limit_end();
	return err;
}

int analyse_run(struct analysis *analysis, struct recording_reader *reader, bool no_limit,
		uint64_t steps_per_record)
{
	return analyse(analysis, reader, no_limit, steps_per_record, UINT64_MAX);
}

int analyse_beginning(struct analysis *analysis, struct recording_reader *reader, bool no_limit,
		      uint64_t records)
{
	return analyse(analysis, reader, no_limit, 0, records);
}

struct recording_reader *analyse_again(const char *path, uint64_t run_at)
{
	struct recording_reader *reader = recording__open(path);
	struct run_info info;

	if (!reader)
		return NULL;
	recording__set_quiet(reader);
	if (!recording__go_to(reader, run_at) && recording__next_run(reader, &info) > 0)
		return reader;
	recording__free(reader);
	errno = EIO;
	return NULL;
}

/* No real run makes such records, see container/step_limit.h. */
void say_too_much_work(const char *command, const char *path)
{
	log_error("cannot %s the recording: '%s': its records need more work than those of a real "
		  "run, because it was forged or lacks most of them: record it again, or, if you "
		  "trust it, %s it with --no-limit",
		  command, path, command);
}
