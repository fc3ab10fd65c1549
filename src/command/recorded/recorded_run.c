/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes passes over one run of a recording, and finds out what its units are. */
#include "command/recorded/recorded_run.h"

#include "container/step_limit.h"
#include "command/recorded/analyse.h"
#include "insight/metrics.h"

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
