/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses --explain, --trigger, --stop-at, --on-slow, and what belongs to them. */
#include "cli/trace.h"

#include "cli/condition.h"
#include "cli/selection.h"
#include "cli/tables.h"
#include "cli/values.h"
#include "report/format.h"
#include "util/clock.h"
#include "util/parse.h"
#include "util/log.h"

#include <errno.h>
#include <string.h>

/* With many slow messages, windows of a second would be the whole recording. */
#define KEEP_NS        NSEC_PER_SEC
#define KEEP_SLOWER_NS (100 * NSEC_PER_MSEC)

/* The message of --stop-at is explained at once, from the records of this time. */
#define KEEP_STOP_NS (200 * NSEC_PER_MSEC)

#define AT(member)   offsetof(struct trace_options, member)

static int set_condition(const struct parsing *parsing, char *arg, void *to)
{
	return parse_condition(parsing->row->name, arg, to);
}

/* A duration is a limit of the latency. */
static int set_stop(const struct parsing *parsing, char *arg, void *to)
{
	uint64_t ns;
	int err;

	if (*arg < '0' || *arg > '9')
		return set_condition(parsing, arg, to);
	err = set_duration(parsing, arg, &ns);
	if (!err)
		*(struct condition *)to = condition_slower_than(ns);
	return err;
}

/* --stacks without a value, until all options are known. */
#define STACKS_BY_DEFAULT UINT64_MAX
#define STACKS_OVER_NS    100000

int set_stacks(const struct parsing *parsing, char *arg, void *to)
{
	*(uint64_t *)to = STACKS_BY_DEFAULT;
	return arg ? set_duration(parsing, arg, to) : 0;
}

int set_reader_policy(const struct parsing *parsing, char *arg, void *to)
{
	struct reader_spec *reader = to;

	if (!strcmp(arg, "idle"))
		reader->policy = READER_IDLE;
	else if (!strcmp(arg, "other"))
		reader->policy = READER_OTHER;
	else if (!cpu_list_parse(arg, &reader->cpus))
		reader->policy = READER_CPUS;
	else
		return refuse_word(parsing->row->name, arg,
				   "idle, other, or a list of CPUs such as 0,4-5");
	return 0;
}

static const struct option_row explain_rows[] = {
	{.help = "Why slow messages are slow:"},
	{"explain", .set = set_flag, .to = AT(explain.is_asked),
	 .help = "Explain after the report why the slow messages were slow, as ipctrace explain "
		 "does. The level is deep then, unless --level says otherwise."},
	{"slowest", .arg = "N%|N", .set = set_slowest, .to = AT(explain.select.selection),
	 .named = AT(explain.select.given),
	 .help = "Explain the slowest ones: a share of all, or a number (default: 1%)"},
	{0},
};

static const struct option_row watch_rows[] = {
	{.help = "What to do about slow messages:"},
	{"trigger", .arg = "EXPR", .set = set_condition, .to = AT(watch.trigger),
	 .given = AT(watch.has_trigger),
	 .help = "Record only the time around messages and calls for which EXPR is true, and the "
		 "statistics of all. The rest is never written (default: record everything)."},
	{"keep", .arg = "DUR", .set = set_duration, .to = AT(watch.keep_ns),
	 .given = AT(watch.has_keep),
	 .help = "Record from this long before such a message until 100ms after it (default: 1s; "
		 "100ms with --slower-than)"},
	{"count", .arg = "N", .set = set_count, .min = 1, .max = UINT32_MAX, .to = AT(watch.count),
	 .help = "Stop after N such messages have been recorded. One within 100ms of another does "
		 "not count (default: no limit)."},
	{"stop-at", .arg = "DUR|EXPR", .set = set_stop, .to = AT(watch.stop),
	 .help = "Stop at the first message that is slower than DUR, or for which EXPR is true, "
		 "and explain it. The exit status is then 3 (default: do not stop)."},
	{"on-slow", .arg = "CMD", .set = set_text, .to = AT(watch.on_slow),
	 .help = "Execute CMD for messages of --trigger or --slower-than. CMD gets the message on "
		 "stdin as a line of JSON, and runs as the user that called sudo. While it runs, "
		 "further messages are skipped (default: no command)."},
	{0},
};

const struct option_table explain_live_table = {.rows = explain_rows};
const struct option_table watch_table = {.rows = watch_rows};

/* A recording of slow messages lacks those that they are compared with. */
static int trace_check_record(const struct output_options *output, const char *record)
{
	bool is_of_format = output->format->illustrate;

	if (!record || !output->slower_than_ns || !(output->format->explanation || is_of_format))
		return 0;
	log_error("--%s: --record '%s': with --slower-than it lacks what slow messages are "
		  "compared with: leave out --slower-than, and give it to ipctrace %s",
		  is_of_format ? "format" : "explain", record, is_of_format ? "report" : "explain");
	return EINVAL;
}

static int finish_explain(struct explain_live_options *options, const struct output_options *output,
			  const char *record)
{
	/* The report is made of a recording, and has the explanation in it. */
	if (output->format->wants_recording)
		options->is_asked = true;
	if (!options->is_asked && options->select.given) {
		log_error("--slowest: no --explain: it says which messages are explained: add "
			  "--explain");
		return EINVAL;
	}
	if (!options->is_asked)
		return 0;
	if (!output->format->explanation && !output->format->wants_recording) {
		log_error("--explain: --format '%s': it has no explanations: use text or "
			  "json, or record and use ipctrace explain",
			  output->format->name);
		return EINVAL;
	}
	select_of_output(&options->select, output);
	return trace_check_record(output, record);
}

static int check_stacks(const struct trace_options *trace)
{
	if (!trace->stacks_over_ns || trace->record || trace_options_explain(trace))
		return 0;
	log_error("--stacks: stacks are only shown by an explanation: nothing shows or keeps them: "
		  "add --explain or --record FILE");
	return EINVAL;
}

static int refuse_alone(const char *option, const char *lack, const char *remedy)
{
	log_error("--%s: %s: %s", option, lack, remedy);
	return EINVAL;
}

static int check_watch(const struct watch_options *watch, const char *record)
{
	bool has_condition = watch->trigger.step_cnt;

	if (watch->has_trigger && !record && !watch->on_slow)
		return refuse_alone("trigger", "nothing is to be done at it",
				    "add --record FILE or --on-slow CMD");
	if (watch->on_slow && !has_condition)
		return refuse_alone("on-slow", "no message is slow",
				    "add --slower-than DUR or --trigger EXPR");
	if (watch->has_keep && !(record && has_condition))
		return refuse_alone("keep", "nothing is recorded in parts",
				    "add --record FILE and --trigger EXPR");
	if (watch->count && !(record && has_condition))
		return refuse_alone("count", "nothing is recorded in parts",
				    "add --record FILE and --trigger EXPR");
	return 0;
}

static int finish_watch(struct watch_options *watch, const struct output_options *output,
			const char *record)
{
	bool uses_slower = record || watch->on_slow;

	if (!watch->has_trigger && output->slower_than_ns && uses_slower)
		watch->trigger = condition_slower_than(output->slower_than_ns);
	if (!watch->has_keep)
		watch->keep_ns = watch->has_trigger        ? KEEP_NS
				 : watch->trigger.step_cnt ? KEEP_SLOWER_NS
							   : KEEP_STOP_NS;
	return check_watch(watch, record);
}

int trace_options_finish(struct trace_options *trace, const struct output_options *output)
{
	int err = finish_explain(&trace->explain, output, trace->record);

	if (!err)
		err = check_stacks(trace);
	if (!err)
		err = finish_watch(&trace->watch, output, trace->record);
	if (trace->stacks_over_ns == STACKS_BY_DEFAULT)
		trace->stacks_over_ns = output->slower_than_ns ?: STACKS_OVER_NS;
	if (!err && !trace->has_level && (trace->stacks_over_ns || trace_options_explain(trace)))
		trace->level = LEVEL_DEEP;
	return err;
}
