/* SPDX-License-Identifier: BSD-2-Clause */
/* Analyses each run of a recording, and passes the results to the report. */
#include "command/recorded/recorded.h"

#include "command/excerpt/excerpt.h"
#include "command/message_filter.h"
#include "command/output.h"
#include "report/words/paragraph.h"
#include "util/log.h"

#include <errno.h>
#include <string.h>

/*
 * Makes the passes that are needed to know which messages are shown:
 *
 *	where the message of --around is
 *	which messages are the slowest (--slowest)
 *	what fits into the file
 */

static int on_search_message(void *ctx, const struct message *message)
{
	message_filter__search(ctx, message);
	return 0;
}

static int search(const struct recorded_run *run, struct message_filter *filter)
{
	const struct analysis_request request = {
		.on_message = on_search_message, .ctx = filter, .has_no_statistics = true};
	int err = analyse_again(run, &request);

	if (err || !message_filter__needs_search(filter))
		return err;
	log_error("--around: '%s': the recording has no such message: take its channel and number "
		  "from -f ndjson",
		  run->job->select->around);
	return -EINVAL;
}

static int choose_messages(const struct recorded_run *run, struct output *output)
{
	struct message_filter *filter;
	int err = 0;

	if (!run->job->select->given)
		return 0;
	filter = output->filter = message_filter__new(run->job->select, &run->info);
	if (!filter)
		return -errno;
	if (message_filter__needs_search(filter))
		err = search(run, filter);
	if (!err && message_filter__needs_ranks(filter))
		err = analyse_again(
			run, &(struct analysis_request){.on_message = message_filter__rank_message,
							.on_call = message_filter__rank_call,
							.ctx = filter,
							.has_units = true});
	return err;
}

static int on_size_message(void *ctx, const struct message *message)
{
	struct output *output = ctx;

	return output_passes_message(output, message) ? excerpt__message(output->excerpt, message)
						      : 0;
}

static int on_size_moments(void *ctx, const struct thread_moments *moments)
{
	const struct output *output = ctx;

	excerpt__moments(output->excerpt, moments);
	return 0;
}

/* Only `report` has the options. */
static const char *report_recording_remedy_of(const struct output *output)
{
	return output->is_live ? "record with --record FILE, and choose a part of it with ipctrace "
				 "report FILE"
			       : "choose another part with --between, --around or --channel, or "
				 "allow more with --max-size";
}

/* What does not fit into the file is known only after all of the run was read. */
static int choose_excerpt(const struct recorded_run *run, struct output *output)
{
	const struct analysis_request request = {.on_message = on_size_message,
						 .on_moments = on_size_moments,
						 .ctx = output,
						 .has_units = true,
						 .has_no_statistics = true};
	bool is_selection = output->filter || output->slower_than_ns;
	int err;

	output->excerpt = excerpt__new(output->run_bytes, run->info.begin.ns);
	if (!output->excerpt)
		return -ENOMEM;
	err = analyse_again(run, &request);
	if (!err)
		err = excerpt__choose(output->excerpt, is_selection);
	excerpt__text(output->excerpt, output->limit);
	if (!err && output->limit[0])
		log_warning("the file has only %s: all would take more than %llu kB: %s",
			    output->limit, (unsigned long long)(output->run_bytes + 999) / 1000,
			    report_recording_remedy_of(output));
	return err;
}

/*
 * Before a run is reported: sets the filter and the excerpt of the output. Passes over the run may
 * be needed. 0 or -errno (logged, but for ENOMEM and E2BIG). choice_end() follows in any case.
 */
static int choice_begin(const struct recorded_run *run, struct output *output)
{
	int err = choose_messages(run, output);

	return err || !output->format->wants_causes ? err : choose_excerpt(run, output);
}

/* Frees what belongs to one run. */
static void choice_end(struct output *output)
{
	message_filter__free(output->filter);
	output->filter = NULL;
	excerpt__free(output->excerpt);
	output->excerpt = NULL;
}

/* After the last run: warns if the file has become full. */
static void choice_warn(const struct output *output)
{
	if (output->left_out)
		log_warning("the file lacks %llu message%s more, because it was full: %s",
			    (unsigned long long)output->left_out, plural(output->left_out),
			    report_recording_remedy_of(output));
	if (output->max_bytes && output->bytes > output->max_bytes)
		log_warning("the file is larger than --max-size: '%s': %llu kB, as the slowest "
			    "message of every run is in it: %sallow more with --max-size",
			    output->path ?: "-", (unsigned long long)(output->bytes + 999) / 1000,
			    output->run_bytes < output->max_bytes ? "choose one with --run, or "
								  : "");
}

/* Instants count from the start, which recordings before version 11 do not have. */
static int check_selection(const struct recorded_run *run)
{
	const struct select_options *select = run->job->select;
	const char *option = select->around && !strchr(select->around, '/') ? "around" : "between";

	if (run->info.begin.ns ||
	    (!select->selection.between_ns.is_set && strcmp(option, "around")))
		return 0;
	log_error("--%s: '%s': it does not say when tracing began (an older ipctrace made it): "
		  "leave out --%s",
		  option, run->job->path, option);
	return -EINVAL;
}

static int report_recording_analyse(const struct recorded_run *run)
{
	struct output *output = run->job->output;
	struct analysis *analysis = output_analysis(output, &run->info);
	int err;

	if (!analysis)
		return -ENOMEM;
	err = output_run(output, &run->info);
	if (!err)
		err = analyse_run(run, analysis);
	if (!err) {
		output_warn_of_left_out(analysis);
		err = output_result(output, analysis__summary(analysis));
	}
	analysis__free(analysis);
	return err;
}

static int show_messages(const struct recorded_run *run)
{
	struct output *output = run->job->output;
	int err = choice_begin(run, output);

	if (!err)
		err = report_recording_analyse(run);
	choice_end(output);
	return err;
}

static int illustrate(const struct recorded_run *run)
{
	struct output *output = run->job->output;
	struct two_passes passes = {.run = *run, .is_illustrated = true};
	int err = output_check(output->format, run->info.traced);

	if (!err)
		err = two_passes_make(&passes);
	if (!err) {
		output_warn_of_left_out(passes.summed);
		err = output_illustration(
			output, &(struct illustration){.summary = analysis__summary(passes.summed),
						       .explanation = &passes.explanation,
						       .picture = &passes.picture});
	}
	two_passes_clean(&passes);
	return err;
}

static int report_recording_show_run(struct recorded_run *run)
{
	int err;

	run->run_at = recording__run_at(run->reader);
	call_choice_describe(&run->info, run->job->calls);
	err = check_selection(run);
	if (err)
		return err;
	return run->job->output->format->illustrate ? illustrate(run) : show_messages(run);
}

int report_recording(const struct recorded_job *job, struct recording_reader *reader,
		     const struct run_info *info)
{
	struct recorded_run run = {.job = job, .reader = reader, .info = *info};
	int runs = job->is_one_of_several ? 1 : recording_count_runs(job->path), more = 1, err = 0;

	if (runs < 0)
		return runs;
	job->output->run_bytes = job->output->max_bytes / runs;
	while (!err && more > 0) {
		err = report_recording_show_run(&run);
		do
			more = err ? 0 : recording__next_run(reader, &run.info);
		while (more > 0 && job->is_one_of_several);
	}
	if (err == -E2BIG)
		say_too_much_work("report", job->path);
	choice_warn(job->output);
	job->output->is_cut = more < 0 || err == -E2BIG || (!err && !recording__is_whole(reader));
	if (more < 0)
		return more;
	/* The recording is damaged, which was logged. The readable part has been shown. */
	return !err && !recording__is_whole(reader) ? -EINVAL : err;
}
