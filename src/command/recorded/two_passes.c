/* SPDX-License-Identifier: BSD-2-Clause */
/* Passes the units of a run to what explains them, and to what makes a picture of them. */
#include "command/recorded/recorded.h"

#include "cli/selection.h"
#include "command/output.h"
#include "container/step_limit.h"
#include "explain/explainer.h"
#include "explain/stacks.h"
#include "insight/metrics.h"
#include "insight/services.h"
#include "picture/maker.h"
#include "recording/read_ahead.h"
#include "util/log.h"

#include <errno.h>
#include <string.h>

/* So many records mostly show what an attach consists of: of some 50,000 messages or more. */
#define RECORDS_SHOWING 500000

/* Causes follow threads that others waited for: many clients that start at once need far more. */
#define STEPS_OF_CAUSES 8

/* At most so many records. `steps_per_record` 0: the default. */
static int analyse_records(const struct recorded_job *job, struct analysis *analysis,
			   struct recording_reader *reader, uint64_t steps_per_record,
			   uint64_t records)
{
	struct read_ahead *ahead = read_ahead__new(reader);
	const struct record *record;
	int err = 0;

	if (!ahead)
		return -ENOMEM;
	if (!job->no_limit)
		step_limit_begin(steps_per_record ?: STEPS_PER_RECORD);
	while (!err && records-- && (record = read_ahead__next(ahead)))
		err = analysis__record(analysis, record);
	read_ahead__free(ahead);
	if (!err)
		err = analysis__finish(analysis);
	step_limit_end();
	return err;
}

int analyse_run(const struct recorded_run *run, struct analysis *analysis)
{
	return analyse_records(run->job, analysis, run->reader, run->job->steps_per_record,
			       UINT64_MAX);
}

/* The caller frees the analysis, also after an error. */
static int analyse_anew(const struct recorded_run *run, const struct analysis_request *request,
			uint64_t steps_per_record, uint64_t records, struct analysis **analysis)
{
	struct recording_reader *reader = recording__open_at(run->job->path, run->run_at);
	int err = -ENOMEM;

	*analysis = NULL;
	if (!reader)
		return -errno;
	*analysis = analysis__new(&run->info, request);
	if (*analysis)
		err = analyse_records(run->job, *analysis, reader, steps_per_record, records);
	recording__free(reader);
	return err;
}

int analyse_again(const struct recorded_run *run, const struct analysis_request *request)
{
	struct analysis *analysis;
	int err = analyse_anew(run, request, run->job->steps_per_record, UINT64_MAX, &analysis);

	analysis__free(analysis);
	return err;
}

/* No real run makes such records, see container/step_limit.h. */
void say_too_much_work(const char *command, const char *path)
{
	log_error("cannot %s the recording: '%s': its records need more work than those of a real "
		  "run, because it was forged or lacks most of them: record it again, or, if you "
		  "trust it, %s it with --no-limit",
		  command, path, command);
}

/* Whether the user, or the pattern of a run, says what its units are. */
static bool unit_kind_is_fixed(const struct recorded_run *run)
{
	const struct select_options *select = run->job->select;

	return select->has_unit || select->selection.has_message || run->info.mode == MODE_RUN;
}

/* What the user says, or what follows from the pattern of a run; of an attach a first guess. */
static enum unit_kind two_passes_kind_of(const struct recorded_run *run)
{
	const struct select_options *select = run->job->select;

	if (select->has_unit)
		return select->unit;
	if (select->selection.has_message)
		return UNIT_MESSAGE;
	if (run->info.mode == MODE_ATTACH || spec_has_calls(&run->info.workload))
		return UNIT_CALL;
	return spec_has_rounds(&run->info.workload) ? UNIT_ROUND : UNIT_MESSAGE;
}

/* Whether the explanation is of one of several services, and the user has not said which one. */
static bool chooses_service(const struct recorded_run *run)
{
	const struct select_options *select = run->job->select;

	return run->info.mode == MODE_ATTACH && !select->client &&
	       !selection_needs_identities(&select->selection);
}

/* A proxy and its backend have nothing in common that could be explained. */
static void choose_service(struct two_passes *passes, const struct calls_summary *calls)
{
	const struct service_summary *busiest = busiest_service(calls);

	if (!busiest || !chooses_service(&passes->run) || !is_one_of_several(calls))
		return;
	passes->service = (struct select_service){.is_set = true, .pid = busiest->server.pid};
	snprintf(passes->service.comm, sizeof(passes->service.comm), "%s", busiest->server.comm);
	snprintf(passes->service.address, sizeof(passes->service.address), "%s", busiest->name);
}

/*
 * The units of a run, or what an attach seems to consist of by its beginning, and its busiest
 * service. A recording of windows has its summary at the end.
 */
static int unit_kind_guess(struct two_passes *passes, enum unit_kind *kind)
{
	const struct recorded_run *run = &passes->run;
	const struct analysis_request request = {.has_no_statistics = true};
	struct analysis *analysis;
	int err;

	*kind = two_passes_kind_of(run);
	if (unit_kind_is_fixed(run) && !chooses_service(run))
		return 0;
	err = analyse_anew(run, &request, 0, RECORDS_SHOWING, &analysis);
	if (!err && !unit_kind_is_fixed(run) && analysis__summary(analysis)->integrity.matched)
		*kind = summary_unit(analysis__summary(analysis));
	if (!err && chooses_service(run))
		choose_service(passes, &analysis__summary(analysis)->calls);
	analysis__free(analysis);
	return err;
}

static bool two_passes_is_over(const struct two_passes *passes)
{
	return passes->run.job->is_over && passes->run.job->is_over();
}

static int on_rank(void *ctx, const struct unit *unit)
{
	struct two_passes *passes = ctx;

	if (two_passes_is_over(passes))
		return -EINTR;
	if (passes->maker && explain__has(passes->explain, unit))
		picture__rank(passes->maker, unit);
	return explain__rank(passes->explain, unit);
}

static int begin_rank(struct two_passes *passes, enum unit_kind kind)
{
	const struct select_options *select = passes->run.job->select;
	struct explain_choice choice = {.info = passes->run.info,
					.kind = kind,
					.selection = select->selection,
					.against_file = select->against};
	int err = select_client(select, &passes->run.info, &choice.selection);

	if (passes->service.is_set && kind == UNIT_CALL)
		choice.selection.service = passes->service;
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

static bool ranks_need_identities(const struct two_passes *passes, enum unit_kind kind)
{
	return needs_identities(passes->run.job->select) ||
	       (passes->service.is_set && kind == UNIT_CALL);
}

/* `*found`: the kind that an attach turns out to have. */
static int two_passes_rank(struct two_passes *passes, enum unit_kind kind, enum unit_kind *found)
{
	const struct recorded_job *job = passes->run.job;
	const struct analysis_request request = {
		.kind = kind,
		.on_unit = on_rank,
		.ctx = passes,
		.has_units = true,
		.has_no_identities = !ranks_need_identities(passes, kind),
		.has_no_statistics = !passes->is_illustrated,
	};
	struct analysis *analysis = NULL;
	int err = begin_rank(passes, kind);

	if (!err)
		err = analyse_anew(&passes->run, &request, job->steps_per_record, UINT64_MAX,
				   &analysis);
	*found = err || unit_kind_is_fixed(&passes->run)
			 ? kind
			 : summary_unit(analysis__summary(analysis));
	if (passes->is_illustrated) {
		analysis__free(passes->summed);
		passes->summed = analysis;
	} else {
		analysis__free(analysis);
	}
	return err;
}

/* If most of an attach is different from its start, it is analysed once more. */
static int rank_any(struct two_passes *passes, enum unit_kind *kind)
{
	enum unit_kind guessed, found;
	int err = unit_kind_guess(passes, &guessed);

	*kind = guessed;
	if (!err)
		err = two_passes_rank(passes, guessed, kind);
	if (!err && *kind != guessed)
		err = two_passes_rank(passes, *kind, &found);
	return err;
}

static int two_passes_on_message(void *ctx, const struct message *message)
{
	struct two_passes *passes = ctx;

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
__attribute__((noinline)) static int two_passes_add_moments(const struct two_passes *passes,
							    const struct unit *unit,
							    bool is_typical, bool is_pictured)
{
	struct moment moment[EXPLAIN_MOMENTS_MAX];
	uint32_t cnt = analysis__moments(passes->analysis, unit, moment, EXPLAIN_MOMENTS_MAX);
	int err = is_pictured ? picture__add_moments(passes->maker, moment, cnt) : 0;

	return !err && is_typical ? explain__typical(passes->explain, moment, cnt) : err;
}

static int on_add(void *ctx, const struct unit *unit)
{
	struct two_passes *passes = ctx;
	int pictured = two_passes_is_over(passes) ? -EINTR : add_to_picture(passes, unit);
	int typical = pictured < 0 ? pictured : explain__add(passes->explain, unit);

	if (typical < 0 || !(typical || pictured))
		return typical;
	return two_passes_add_moments(passes, unit, typical, pictured);
}

static int on_add_other(void *ctx, const struct unit *unit)
{
	struct two_passes *passes = ctx;

	if (two_passes_is_over(passes))
		return -EINTR;
	if (passes->maker && explain__has_other(passes->explain, unit))
		picture__add_other(passes->maker, unit, passes->run.job->select->against);
	return explain__add_other(passes->explain, unit);
}

/* A pass over the run at which the reader stands, with causes. The caller frees the analysis. */
static int two_passes_pass(struct two_passes *passes, const struct run_info *info,
			   struct recording_reader *reader, const struct analysis_request *request)
{
	const struct recorded_job *job = passes->run.job;
	uint64_t steps = STEPS_OF_CAUSES * (job->steps_per_record ?: STEPS_PER_RECORD);

	passes->analysis = analysis__new(info, request);
	return passes->analysis ? analyse_records(job, passes->analysis, reader, steps, UINT64_MAX)
				: -ENOMEM;
}

static void end_pass(struct two_passes *passes)
{
	analysis__free(passes->analysis);
	passes->analysis = NULL;
}

/* All runs of the recording of --against. */
static int add_others(struct two_passes *passes, enum unit_kind kind)
{
	const struct recorded_job *job = passes->run.job;
	struct recording_reader *reader = recording__open(job->select->against);
	const struct analysis_request request = {.kind = kind,
						 .on_unit = on_add_other,
						 .ctx = passes,
						 .has_units = true,
						 .has_causes = true,
						 .has_no_statistics = true};
	struct run_info info;
	int more = 0, err = 0;

	if (!reader)
		return -errno;
	while (!err && (more = recording__next_run(reader, &info)) > 0) {
		call_choice_describe(&info, job->calls);
		err = two_passes_pass(passes, &info, reader, &request);
		end_pass(passes);
	}
	recording__free(reader);
	return err ?: more;
}

static int two_passes_add_all(struct two_passes *passes, enum unit_kind kind,
			      struct stack_names **names)
{
	const struct analysis_request request = {
		.kind = kind,
		.on_unit = on_add,
		.on_message = passes->maker && kind != UNIT_CALL ? two_passes_on_message : NULL,
		.ctx = passes,
		.has_units = true,
		.has_causes = true,
		.causes_within = explain__needed(passes->explain),
		.has_no_statistics = true,
	};
	int err = two_passes_pass(passes, &passes->run.info, passes->run.reader, &request);

	*names = passes->analysis ? analysis__take_stack_names(passes->analysis) : NULL;
	end_pass(passes);
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

static int choose_for_picture(struct two_passes *passes)
{
	/* What is recorded in windows, or selected, has an end of its own. */
	if (!passes->is_selected && !passes->run.info.condition[0])
		picture__traced_until(passes->maker, analysis__summary(passes->summed)->stopped_ns);
	return picture__choose(passes->maker, explain__slow_above_ns(passes->explain));
}

static int two_passes_add(struct two_passes *passes, enum unit_kind kind)
{
	bool is_explained = explain_has_rows(explain__choose(passes->explain));
	bool has_other = passes->run.job->select->selection.against == AGAINST_FILE;
	struct stack_names *names = NULL;
	int err = passes->maker ? choose_for_picture(passes) : 0;

	if (is_explained || passes->maker) {
		if (!err && has_other)
			err = add_others(passes, kind);
		if (!err)
			err = two_passes_add_all(passes, kind, &names);
	}
	return two_passes_finish(passes, err, names);
}

int two_passes_make(struct two_passes *passes)
{
	const struct select_options *select = passes->run.job->select;
	enum unit_kind kind;
	int err = rank_any(passes, &kind);

	passes->is_selected = needs_identities(select) || select->selection.between_ns.is_set;
	if (!err)
		err = two_passes_add(passes, kind);
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
