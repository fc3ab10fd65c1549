/* SPDX-License-Identifier: BSD-2-Clause */
/* Passes the units of a run to what explains them, and to what makes a picture of them. */
#include "command/recorded/two_passes.h"

#include "cli/selection.h"
#include "command/call_choice.h"
#include "container/step_limit.h"
#include "explain/explainer.h"
#include "explain/stacks.h"
#include "insight/metrics.h"
#include "picture/maker.h"
#include "recording/read_ahead.h"
#include "util/log.h"

#include <errno.h>
#include <string.h>

static struct two_passes *passes_of(void *pass)
{
	return ((struct unit_pass *)pass)->ctx;
}

static bool two_passes_is_over(const struct two_passes *passes)
{
	return passes->is_over && passes->is_over();
}

static int on_rank(void *ctx, const struct unit *unit)
{
	struct two_passes *passes = passes_of(ctx);

	if (two_passes_is_over(passes))
		return -EINTR;
	if (passes->maker && explain__has(passes->explain, unit))
		picture__rank(passes->maker, unit);
	return explain__rank(passes->explain, unit);
}

static int begin_rank(struct two_passes *passes, enum unit_kind kind)
{
	const struct select_options *select = passes->run.select;
	struct explain_choice choice = {.info = passes->run.info,
					.kind = kind,
					.selection = select->selection,
					.against_file = select->against};
	int err = select_client(select, &passes->run.info, &choice.selection);

	explain__free(passes->explain);
	picture__free(passes->maker);
	passes->maker = NULL;
	passes->explain = err ? NULL : explain__new(&choice);
	if (err || !passes->explain)
		return err ?: -ENOMEM;
	if (passes->is_illustrated)
		passes->maker = picture__new(&passes->run.info, kind);
	return passes->is_illustrated && !passes->maker ? -ENOMEM : 0;
}

/* Which client it is depends on the recording: a number, or a process. */
static bool needs_identities(const struct select_options *select)
{
	return select->client || selection_needs_identities(&select->selection);
}

/* `*found`: the kind that an attach turns out to have. */
static int two_passes_rank(struct two_passes *passes, enum unit_kind kind, enum unit_kind *found)
{
	struct unit_pass pass = {
		.wants = {.kind = kind,
			  .on_unit = on_rank,
			  .has_no_identities = !needs_identities(passes->run.select),
			  .has_no_statistics = !passes->is_illustrated},
		.ctx = passes,
	};
	int err = begin_rank(passes, kind);

	if (!err)
		err = recorded_run_pass_again(&passes->run, &pass);
	*found = err || unit_kind_is_fixed(&passes->run)
			 ? kind
			 : summary_unit(analysis__summary(pass.analysis));
	if (passes->is_illustrated) {
		analysis__free(passes->summed);
		passes->summed = pass.analysis;
	} else {
		unit_pass_end(&pass);
	}
	return err;
}

/* If most of an attach is different from its begin, it is analysed once more. */
static int rank_any(struct two_passes *passes, enum unit_kind *kind)
{
	enum unit_kind guessed, found;
	int err = unit_kind_guess(&passes->run, &guessed);

	*kind = guessed;
	if (!err)
		err = two_passes_rank(passes, guessed, kind);
	if (!err && *kind != guessed)
		err = two_passes_rank(passes, *kind, &found);
	return err;
}

static int two_passes_on_message(void *ctx, const struct message *message)
{
	struct two_passes *passes = passes_of(ctx);

	memcpy(passes->component_ns, message->component_ns, sizeof(passes->component_ns));
	if (!passes->is_selected)
		picture__add_message(passes->maker, message);
	return 0;
}

static int add_to_picture(struct two_passes *passes, const struct unit *unit)
{
	bool is_message = unit->kind == UNIT_MESSAGE;

	if (!passes->maker || !explain__has(passes->explain, unit))
		return 0;
	return picture__add(passes->maker, unit, is_message ? passes->component_ns : NULL,
			    explain__weight(passes->explain, unit));
}

/* Few units come here, and the list is long. */
__attribute__((noinline)) static int two_passes_add_moments(struct unit_pass *pass,
							    const struct unit *unit)
{
	const struct two_passes *passes = pass->ctx;
	struct moment moment[EXPLAIN_MOMENTS_MAX];
	uint32_t cnt = analysis__moments(pass->analysis, unit, moment, EXPLAIN_MOMENTS_MAX);

	return explain__typical(passes->explain, moment, cnt);
}

static int on_add(void *ctx, const struct unit *unit)
{
	struct unit_pass *pass = ctx;
	struct two_passes *passes = pass->ctx;
	int err = two_passes_is_over(passes) ? -EINTR : add_to_picture(passes, unit);
	int typical = err ?: explain__add(passes->explain, unit);

	return typical > 0 ? two_passes_add_moments(pass, unit) : typical;
}

static int on_add_other(void *ctx, const struct unit *unit)
{
	struct two_passes *passes = passes_of(ctx);

	if (two_passes_is_over(passes))
		return -EINTR;
	if (passes->maker && explain__has_other(passes->explain, unit))
		picture__add_other(passes->maker, unit, passes->run.select->against);
	return explain__add_other(passes->explain, unit);
}

/* All runs of the recording of --against. */
static int add_others(struct two_passes *passes, enum unit_kind kind)
{
	struct recording_reader *reader = recording__open(passes->run.select->against);
	struct unit_pass pass = {
		.wants = {.kind = kind,
			  .on_unit = on_add_other,
			  .has_causes = true,
			  .has_no_statistics = true},
		.ctx = passes,
	};
	struct run_info info;
	int more = 0, err = 0;

	if (!reader)
		return -errno;
	while (!err && (more = recording__next_run(reader, &info)) > 0) {
		call_choice_describe(&info, passes->run.calls);
		err = recorded_run_pass(&passes->run, &info, reader, &pass);
		unit_pass_end(&pass);
	}
	recording__free(reader);
	return err ?: more;
}

static int two_passes_add_all(struct two_passes *passes, enum unit_kind kind,
			      struct recording_reader *reader, struct stack_names **names)
{
	struct unit_pass pass = {
		.wants = {.kind = kind,
			  .on_unit = on_add,
			  .on_message =
				  passes->maker && kind != UNIT_CALL ? two_passes_on_message : NULL,
			  .has_causes = true,
			  .causes_within = explain__needed(passes->explain),
			  .has_no_statistics = true},
		.ctx = passes,
	};
	int err = recorded_run_pass(&passes->run, &passes->run.info, reader, &pass);

	*names = pass.analysis ? analysis__take_stack_names(pass.analysis) : NULL;
	unit_pass_end(&pass);
	return err;
}

/* Takes over `names`. */
static int two_passes_finish(struct two_passes *passes, int err, struct stack_names *names)
{
	err = err ?: explain__finish(passes->explain, &passes->explanation);
	if (err) {
		stack_names__free(names);
		return err;
	}
	err = explanation_fold_stacks(&passes->explanation, names);
	if (!err && passes->maker)
		err = picture__finish(passes->maker, &passes->picture);
	return err;
}

/* What is recorded in windows, or selected, has an end of its own. */
static void two_passes_set_end(struct two_passes *passes)
{
	if (!passes->is_selected && !passes->run.info.condition[0])
		picture__traced_until(passes->maker, analysis__summary(passes->summed)->stopped_ns);
}

static int two_passes_add(struct two_passes *passes, enum unit_kind kind,
			  struct recording_reader *reader)
{
	bool is_explained = explain__choose(passes->explain) == EXPLAIN_DONE;
	struct stack_names *names = NULL;
	int err = 0;

	if (passes->maker) {
		two_passes_set_end(passes);
		err = picture__choose(passes->maker, explain__slow_above_ns(passes->explain));
	}
	if (!err && (is_explained || passes->maker) &&
	    passes->run.select->selection.against == AGAINST_FILE)
		err = add_others(passes, kind);
	if (!err && (is_explained || passes->maker))
		err = two_passes_add_all(passes, kind, reader, &names);
	return two_passes_finish(passes, err, names);
}

int two_passes_make(struct two_passes *passes, struct recording_reader *reader)
{
	enum unit_kind kind;
	int err = rank_any(passes, &kind);

	passes->is_selected = needs_identities(passes->run.select) ||
			      passes->run.select->selection.between_ns.is_set;
	if (!err)
		err = two_passes_add(passes, kind, reader);
	explain__free(passes->explain);
	picture__free(passes->maker);
	passes->explain = NULL;
	passes->maker = NULL;
	return err;
}

void two_passes_clean(struct two_passes *passes)
{
	explanation_clean(&passes->explanation);
	picture_clean(&passes->picture);
	analysis__free(passes->summed);
	passes->summed = NULL;
}

/* Makes passes over one run of a recording, and finds out what its units are. */

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
static enum unit_kind two_passes_kind_of(const struct recorded_run *run)
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

	*kind = two_passes_kind_of(run);
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
static int two_passes_analyse(struct analysis *analysis, struct recording_reader *reader,
			      bool no_limit, uint64_t steps_per_record, uint64_t records)
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
	return two_passes_analyse(analysis, reader, no_limit, steps_per_record, UINT64_MAX);
}

int analyse_beginning(struct analysis *analysis, struct recording_reader *reader, bool no_limit,
		      uint64_t records)
{
	return two_passes_analyse(analysis, reader, no_limit, 0, records);
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
