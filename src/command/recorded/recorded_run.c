/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes passes over one run of a recording, and finds out what its units are. */
#include "command/recorded/recorded_run.h"

#include "container/step_limit.h"
#include "insight/metrics.h"
#include "recording/read_ahead.h"
#include "util/log.h"

#include <errno.h>

/* So many records mostly show what an attach consists of: of some 50,000 messages or more. */
#define RECORDS_SHOWING 500000

/* Causes follow threads that others waited for: many clients that start at once need far more. */
#define STEPS_OF_CAUSES 8

static uint64_t steps_of(const struct recorded_run *run, const struct unit_pass *pass)
{
	uint64_t steps = run->steps_per_record ?: STEPS_PER_RECORD;

	return pass->wants.has_causes ? STEPS_OF_CAUSES * steps : steps;
}

int recorded_run_pass(const struct recorded_run *run, const struct run_info *info,
		      struct recording_reader *reader, struct unit_pass *pass)
{
	struct analysis_request request = pass->wants;

	request.ctx = pass;
	request.has_units = true;
	pass->analysis = analysis__new(info, &request);
	if (!pass->analysis)
		return -ENOMEM;
	return analyse_run(pass->analysis, reader, run->no_limit, steps_of(run, pass));
}

int recorded_run_pass_again(const struct recorded_run *run, struct unit_pass *pass)
{
	struct recording_reader *reader = analyse_again(run->path, run->run_at);
	int err;

	if (!reader)
		return -errno;
	err = recorded_run_pass(run, &run->info, reader, pass);
	recording__free(reader);
	return err;
}

void unit_pass_end(struct unit_pass *pass)
{
	analysis__free(pass->analysis);
	pass->analysis = NULL;
}

bool unit_kind_is_fixed(const struct recorded_run *run)
{
	const struct select_options *select = run->select;

	return select->has_unit || select->selection.has_message || run->info.mode == MODE_RUN;
}

/* What the user says, or what follows from the pattern of a run; of an attach a first guess. */
static enum unit_kind kind_of(const struct recorded_run *run)
{
	const struct select_options *select = run->select;

	if (select->has_unit)
		return select->unit;
	if (select->selection.has_message)
		return UNIT_MESSAGE;
	if (run->info.mode == MODE_ATTACH || spec_has_calls(&run->info.workload))
		return UNIT_CALL;
	return spec_has_rounds(&run->info.workload) ? UNIT_ROUND : UNIT_MESSAGE;
}

/* A recording of windows has its summary at the end. */
static void correct_guess(const struct summary *summary, enum unit_kind *kind)
{
	if (summary->integrity.matched)
		*kind = summary_unit(summary);
}

int unit_kind_guess(const struct recorded_run *run, enum unit_kind *kind)
{
	const struct analysis_request request = {.has_no_statistics = true};
	struct recording_reader *reader;
	struct analysis *analysis;
	int err = -ENOMEM;

	*kind = kind_of(run);
	if (unit_kind_is_fixed(run))
		return 0;
	reader = analyse_again(run->path, run->run_at);
	if (!reader)
		return -errno;
	analysis = analysis__new(&run->info, &request);
	if (analysis)
		err = analyse_beginning(analysis, reader, run->no_limit, RECORDS_SHOWING);
	if (!err)
		correct_guess(analysis__summary(analysis), kind);
	analysis__free(analysis);
	recording__free(reader);
	return err;
}

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
