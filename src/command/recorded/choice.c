/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes the passes that are needed to know which messages are shown:
 *
 *	where the message of --around is
 *	which messages are the slowest (--slowest)
 *	what fits into the file
 */
#include "command/recorded/choice.h"

#include "command/excerpt/excerpt.h"
#include "command/message_filter.h"
#include "command/output.h"
#include "command/recorded/analyse.h"
#include "report/words/paragraph.h"
#include "util/log.h"

#include <errno.h>
#include <string.h>

static int make_pass(const struct recorded_run *run, const struct analysis_request *request)
{
	struct recording_reader *reader = analyse_again(run->path, run->run_at);
	struct analysis *analysis;
	int err = -ENOMEM;

	if (!reader)
		return -errno;
	analysis = analysis__new(&run->info, request);
	if (analysis)
		err = analyse_run(analysis, reader, run->no_limit, run->steps_per_record);
	analysis__free(analysis);
	recording__free(reader);
	return err;
}

static int on_search_message(void *ctx, const struct message *message)
{
	message_filter__search(ctx, message);
	return 0;
}

static int search(const struct recorded_run *run, struct message_filter *filter)
{
	const struct analysis_request request = {
		.on_message = on_search_message, .ctx = filter, .has_no_statistics = true};
	int err = make_pass(run, &request);

	if (err || !message_filter__needs_search(filter))
		return err;
	log_error("--around: '%s': the recording has no such message: take its channel and number "
		  "from -f ndjson",
		  run->select->around);
	return -EINVAL;
}

static int on_rank_message(void *ctx, const struct message *message)
{
	return message_filter__rank_message(ctx, message);
}

static int on_rank_call(void *ctx, const struct call *call)
{
	return message_filter__rank_call(ctx, call);
}

static int find_ranks(const struct recorded_run *run, struct message_filter *filter)
{
	const struct analysis_request request = {.on_message = on_rank_message,
						 .on_call = on_rank_call,
						 .ctx = filter,
						 .has_units = true};

	return make_pass(run, &request);
}

static int choose_messages(const struct recorded_run *run, struct output *output)
{
	struct message_filter *filter;
	int err = 0;

	if (!run->select->given)
		return 0;
	filter = output->filter = message_filter__new(run->select, &run->info);
	if (!filter)
		return -errno;
	if (message_filter__needs_search(filter))
		err = search(run, filter);
	if (!err && message_filter__needs_ranks(filter))
		err = find_ranks(run, filter);
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

static int measure(const struct recorded_run *run, struct output *output)
{
	const struct analysis_request request = {.on_message = on_size_message,
						 .on_moments = on_size_moments,
						 .ctx = output,
						 .has_units = true,
						 .has_no_statistics = true};

	return make_pass(run, &request);
}

/* Only `report` has the options. */
static const char *remedy_of(const struct output *output)
{
	return output->is_live ? "record with --record FILE, and choose a part of it with ipctrace "
				 "report FILE"
			       : "choose another part with --between, --around or --channel, or "
				 "allow more with --max-size";
}

/* What does not fit into the file is known only after all of the run was read. */
static int choose_excerpt(const struct recorded_run *run, struct output *output)
{
	bool is_selection = output->filter || output->slower_than_ns;
	int err;

	output->excerpt = excerpt__new(output->run_bytes, run->info.begin.ns);
	if (!output->excerpt)
		return -ENOMEM;
	err = measure(run, output);
	if (!err)
		err = excerpt__choose(output->excerpt, is_selection);
	excerpt__text(output->excerpt, output->limit);
	if (!err && output->limit[0])
		log_warning("the file has only %s: all would take more than %llu kB: %s",
			    output->limit, (unsigned long long)(output->run_bytes + 999) / 1000,
			    remedy_of(output));
	return err;
}

int choice_begin(const struct recorded_run *run, struct output *output)
{
	int err = choose_messages(run, output);

	return err || !output->format->wants_causes ? err : choose_excerpt(run, output);
}

void choice_end(struct output *output)
{
	message_filter__free(output->filter);
	output->filter = NULL;
	excerpt__free(output->excerpt);
	output->excerpt = NULL;
}

void choice_warn(const struct output *output)
{
	if (output->left_out)
		log_warning("the file lacks %llu message%s more, because it was full: %s",
			    (unsigned long long)output->left_out, plural(output->left_out),
			    remedy_of(output));
	if (output->max_bytes && output->bytes > output->max_bytes)
		log_warning("the file is larger than --max-size: '%s': %llu kB, as the slowest "
			    "message of every run is in it: %sallow more with --max-size",
			    output->path ?: "-", (unsigned long long)(output->bytes + 999) / 1000,
			    output->run_bytes < output->max_bytes ? "choose one with --run, or "
								  : "");
}
