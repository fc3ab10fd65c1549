/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens the report and the recording. Passes the results of the analysis to the report. */
#include "command/output.h"

#include "cli/terminal.h"
#include "insight/metrics.h"
#include "model/record_decode.h"
#include "report/words/summary_words.h"
#include "util/atomic_file.h"
#include "util/log.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/*
 * A line has about 800 bytes. With stdio's own buffer for pipes, every fifth line costs a syscall.
 */
#define BUFFER_SIZE (64 << 10)

/* Around a path; standard output, where there is none, has no quotes. */
static const char *quote_of(const char *path)
{
	return path ? "'" : "";
}

/* NULL and errno on failure (logged). */
static struct atomic_file *open_file(const char *path, const char *what)
{
	char why[FILE_WHY_LEN];
	struct atomic_file *file = atomic_file__open(path, why);
	int err = errno;

	if (!file)
		log_error("cannot write the %s: %s%s%s: %s", what, quote_of(path),
			  path ?: "standard output", quote_of(path), why);
	errno = err;
	return file;
}

static void say_why(const char *path, const char *what, int err)
{
	log_error("cannot write the %s: %s%s%s: %s: %s", what, quote_of(path),
		  path ?: "standard output", quote_of(path), strerror(-err),
		  file_place_remedy(-err));
}

static void set_out(struct report_style *style, const struct output_options *options,
		    struct atomic_file *file)
{
	style->out = atomic_file__stream(file);
	style->color = terminal_color(options->color, style->out);
	style->is_unicode = terminal_unicode(options->color, style->out);
	style->columns = terminal_columns(style->out);
}

int output_write(const struct output_options *options, const char *what, output_write_fn *text,
		 output_write_fn *json, const void *ctx)
{
	output_write_fn *write = options->format->document == DOCUMENT_JSON ? json : text;
	struct atomic_file *file = open_file(options->path, what);
	struct report_style style = {0};
	int err, close_err;

	if (!file)
		return -errno;
	set_out(&style, options, file);
	err = write(ctx, &style);
	close_err = atomic_file__close(file, !err);
	err = err ?: close_err;
	if (err)
		say_why(options->path, what, err);
	return err;
}

/* Logs the error once, because an output that has failed fails again. */
static int failed(struct output *output, int err)
{
	if (err && !output->failed)
		say_why(output->path, "report", err);
	if (err)
		output->failed = true;
	return err;
}

static int open_report(struct output *output, const struct output_options *options, bool is_matrix)
{
	struct report_style style = {.is_run_matrix = is_matrix,
				     .is_brief = options->is_brief,
				     .shows_published = options->shows_published,
				     .figure = options->figure,
				     .slower_than_ns = options->slower_than_ns,
				     .select = output->select,
				     .has_unit = options->has_unit,
				     .unit = options->unit,
				     .limit = output->limit,
				     .max_bytes = output->max_bytes,
				     .run_bytes = &output->run_bytes,
				     .left_out = &output->left_out,
				     .bytes = &output->bytes};

	output->file = open_file(output->path, "report");
	output->failed = !output->file;
	if (output->failed)
		return -errno;
	set_out(&style, options, output->file);
	if (!isatty(fileno(style.out)))
		setvbuf(style.out, NULL, _IOFBF, BUFFER_SIZE);
	output->report = output->format->begin(&style);
	return output->report ? 0 : failed(output, -errno);
}

int output_open(struct output *output, const struct output_options *options, const char *record,
		bool is_matrix)
{
	output->format = options->format;
	output->path = options->path;
	output->figure = options->figure ?: "bands";
	output->slower_than_ns = options->slower_than_ns;
	output->max_bytes = options->max_bytes;
	if (record) {
		output->recording = recording__create(record);
		if (!output->recording)
			return -EIO;
	}
	return open_report(output, options, is_matrix);
}

bool output_passes_message(const struct output *output, const struct message *message)
{
	if (output->slower_than_ns && message->latency_ns <= output->slower_than_ns)
		return false;
	return !output->filter || message_filter__passes_message(output->filter, message);
}

static int output_on_message(void *ctx, const struct message *message)
{
	struct output *output = ctx;
	int err = output->watch ? watch__message(output->watch, message) : 0;

	if (err || output->waits || !output->format->wants_messages)
		return err;
	if (!output_passes_message(output, message))
		return 0;
	if (output->excerpt && !excerpt__has_message(output->excerpt, message))
		return 0;
	output->has_content = true;
	return failed(output, output->format->message(output->report, message));
}

static int on_built(void *ctx, const struct message *message)
{
	const struct output *output = ctx;

	return watch__built(output->watch, message);
}

static int output_on_answered(void *ctx, const struct call *call)
{
	const struct output *output = ctx;

	return watch__call(output->watch, call);
}

static int output_on_call(void *ctx, const struct call *call)
{
	struct output *output = ctx;
	int err = output->watch ? watch__call(output->watch, call) : 0;

	if (err || output->waits || !output->format->call)
		return err;
	if (output->slower_than_ns && call->back_ns - call->sent_ns <= output->slower_than_ns)
		return 0;
	if (output->filter && !message_filter__passes_call(output->filter, call))
		return 0;
	if (output->excerpt && !excerpt__has_call(output->excerpt, call))
		return 0;
	output->has_content = true;
	return failed(output, output->format->call(output->report, call));
}

static int on_moments(void *ctx, const struct thread_moments *moments)
{
	struct output *output = ctx;
	struct thread_moments shown = *moments;
	int err = 0;

	/* Consecutive ones at once. */
	for (uint32_t i = 0; !err && i < moments->cnt; i += shown.cnt ?: 1) {
		shown.moment = moments->moment + i;
		for (shown.cnt = 0; i + shown.cnt < moments->cnt; shown.cnt++) {
			if (output->excerpt &&
			    !excerpt__has_moment(output->excerpt, shown.moment + shown.cnt))
				break;
		}
		if (shown.cnt)
			err = output->format->moments(output->report, &shown);
	}
	return failed(output, err);
}

static void want_units(const struct output *output, struct analysis_request *request)
{
	request->has_units = output->filter;
	if (!output->format->wants_causes || output->waits)
		return;
	request->has_units = request->has_causes = true;
	request->on_moments = on_moments;
	if (output->excerpt)
		request->causes_within = excerpt__spans(output->excerpt);
}

struct analysis *output_analysis(struct output *output, const struct run_info *info)
{
	bool wants_messages = (output->format->wants_messages && !output->waits) || output->watch;
	bool watches_calls = output->watch && watch__wants_calls(output->watch);
	bool wants_calls = (output->format->call && !output->waits) || watches_calls;
	struct analysis_request request = {
		.ctx = output,
		.on_message = wants_messages ? output_on_message : NULL,
		.on_built = output->watch ? on_built : NULL,
		.on_answered = watches_calls ? output_on_answered : NULL,
		.on_call = wants_calls ? output_on_call : NULL,
	};

	want_units(output, &request);
	return analysis__new(info, &request);
}

int output_check(const struct report_format *format, bool traced)
{
	if ((!format->wants_messages && !format->illustrate) || traced)
		return 0;
	log_error("--format: '%s': an untraced run has no messages to show: use text or json",
		  format->name);
	return -EINVAL;
}

int output_check_runs(const struct report_format *format, bool is_matrix, const char *remedy)
{
	if (!format->shows_one_run || !is_matrix)
		return 0;
	log_error("--format: '%s': it shows a single run, and these are several: use -f json, "
		  "which has the percentiles of each run, or %s",
		  format->name, remedy);
	return -EINVAL;
}

void output_describe(struct run_info *info, const struct output_options *options,
		     const struct trace_options *trace)
{
	const struct watch_options *watch = &trace->watch;

	if (!trace->record || !watch->trigger.step_cnt)
		return;
	if (!watch->has_trigger)
		info->keeps_slower_ns = options->slower_than_ns;
	snprintf(info->condition, sizeof(info->condition), "%s", watch->trigger.text);
	info->keep_ns = watch->keep_ns;
}

void call_choice_describe(struct run_info *info, const struct call_options *calls)
{
	info->calls_in_turn |= calls->in_turn;
	if (calls->server[0])
		snprintf(info->server, sizeof(info->server), "%s", calls->server);
	if (calls->client[0])
		snprintf(info->client, sizeof(info->client), "%s", calls->client);
}

int call_choice_check(const struct run_info *info, const struct call_options *calls)
{
	const char *option = calls->server[0] ? "--server" : "--calls";

	if (!calls->server[0] && !calls->in_turn)
		return 0;
	if (info->mode == MODE_ATTACH && !info->keeps_slower_ns)
		return 0;
	log_error("%s: the calls of this recording are fixed: %s: leave the option out", option,
		  info->mode == MODE_ATTACH
			  ? "it has slow messages and statistics only (--slower-than)"
			  : "it is not of an attach");
	return -EINVAL;
}

int output_run(struct output *output, const struct run_info *info)
{
	if (output_check(output->format, info->traced)) {
		output->failed = true;
		return -EINVAL;
	}
	if (output->waits)
		return 0;
	return failed(output, output->format->run(output->report, info));
}

/* What reads a pipe may show the messages. */
bool output_shows_live(const struct output *output)
{
	return output->format->wants_messages && !output->waits &&
	       file_place_is_special(output->path);
}

int output_flush(struct output *output)
{
	if (output->waits || !output->format->wants_messages)
		return 0;
	if (output->has_content)
		return failed(output, atomic_file__commit(output->file));
	return failed(output, fflush(atomic_file__stream(output->file)) ? -errno : 0);
}

/* A list of messages does not show that some are missing. */
static void warn_of_losses(const struct output *output, const struct summary *summary)
{
	uint64_t lost = integrity_lost(&summary->integrity);

	if (output->format->wants_messages && lost)
		log_warning(
			"the report is incomplete: %llu records were lost, and %s%llu of %llu "
			"messages are not shown: the CPUs were too busy for tracing: use -f json, "
			"which needs less time and has the reasons",
			(unsigned long long)lost,
			summary->info.mode == MODE_ATTACH ? "at least " : "",
			(unsigned long long)integrity_incomplete(&summary->integrity),
			(unsigned long long)summary->integrity.sent);
}

void output_warn_of_left_out(const struct analysis *analysis)
{
	for (unsigned int type = 1; type < NR_RECORD_TYPES; type++) {
		uint64_t cnt = analysis__left_out(analysis, type);

		if (cnt)
			log_warning("records are left out: %llu of type %u ('%s'): no figure "
				    "contains them, as this ipctrace does not know what they say",
				    (unsigned long long)cnt, type, record_name(type));
	}
}

static void warn_of_choices(const struct summary *summary)
{
	struct paragraph words;

	for (int i = 0; i < NR_CHOICES; i++) {
		if (!choice_is_in_vain(summary, i))
			continue;
		words = (struct paragraph){0};
		choice_words(&words, summary, i);
		log_warning("--%s: '%s': %s: %s", choice_options[i], choice_wanted(summary, i),
			    words.text,
			    i == CHOICE_PEER
				    ? "the report has none of these messages: name one of these"
				    : "which end serves is decided without it: name one of these, "
				      "or leave it out");
	}
}

int output_result(struct output *output, const struct summary *summary)
{
	if (output->waits) {
		output->has_result = true;
		return 0;
	}
	warn_of_losses(output, summary);
	warn_of_choices(summary);
	output->has_content = output->has_result = true;
	return failed(output, output->format->summary(output->report, summary));
}

int output_end_recording(struct output *output)
{
	struct recording_writer *recording = output->recording;

	output->recording = NULL;
	return recording__close(recording);
}

static int no_figure(struct output *output, int err)
{
	const char *why = err == -ENODATA ? "the run has nothing that it shows"
					  : "it shows one run, and the recording has several";

	if (!output->failed)
		log_error("cannot draw the figure: '%s': %s: use -f html, which has all figures "
			  "of a recording, or report --run N",
			  output->figure, why);
	output->failed = true;
	return err;
}

int output_illustration(struct output *output, const struct illustration *illustration)
{
	int err = output->format->illustrate(output->report, illustration);

	if (err == -ENODATA || err == -ENOTUNIQ)
		return no_figure(output, err);
	output->has_content |= !err;
	return failed(output, err);
}

int output_explanation(struct output *output, const struct explanation *explanation)
{
	output->has_content = true;
	return failed(output, output->format->explanation(output->report, explanation));
}

int output_close(struct output *output)
{
	int err = 0, close_err = 0;

	if (output->report)
		err = output->format->end(output->report, output->is_cut);
	if (output->file)
		close_err = atomic_file__close(output->file,
					       output->has_content && !err && !output->failed);
	err = err == -ENODATA ? no_figure(output, err) : failed(output, err ?: close_err);
	close_err = recording__close(output->recording);
	return err ?: close_err;
}
