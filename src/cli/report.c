/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses the options of `report`. */
#include "cli/attach_hint.h"
#include "cli/calls.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/selection.h"
#include "report/format.h"
#include "report/schema.h"
#include "util/file_place.h"
#include "util/log.h"
#include "util/parse.h"
#include "util/word_list.h"

#include <errno.h>

enum { KEY_NO_LIMIT = 0x400, KEY_SCHEMA, KEY_MAX_SIZE, KEY_RUN };

static const struct argp_option report_options[] = {
	{0, 0, 0, 0, "What to analyse:", 0},
	{"run", KEY_RUN, "N", 0,
	 "Show only this run of a recording that has several, from 1 on (default: all). Formats "
	 "and figures that show one run need it then.",
	 0},
	{"no-limit", KEY_NO_LIMIT, NULL, 0, NO_LIMIT_HELP, 0},
	{"max-size", KEY_MAX_SIZE, "SIZE", 0,
	 "How large the file of --format perfetto may get, as in 50MB (default: 200MB). If "
	 "all does not fit, it has the slowest messages and the 5 ms around each.",
	 0},
	{"schema", KEY_SCHEMA, "NAME", 0,
	 "Print the JSON Schema of an output instead (default: none): summary and sweep of -f "
	 "json, "
	 "messages of -f ndjson, explain and explain_sweep of ipctrace explain, list, or doctor. "
	 "This needs no FILE.",
	 0},
	{0}};

/* The report must not go to the recording itself. A shell can append standard output to it, too. */
static int check_output(struct report_options *report)
{
	const struct report_format *format = report->output.format;
	const char *output = report->output.path;

	if (report->select.given && !format->wants_messages && !format->illustrate) {
		log_error("--%s: --format '%s': it shows no single messages: use -f ndjson, csv, "
			  "perfetto or html, or ipctrace explain",
			  report->select.given, format->name);
		return EINVAL;
	}
	if (report->select.is_for_figures && !format->illustrate) {
		log_error("--%s: --format '%s': only html and svg have it: use these, or ipctrace "
			  "explain",
			  report->select.is_for_figures, format->name);
		return EINVAL;
	}
	if (report->select.around && format->illustrate) {
		log_error("--around: --format '%s': it shows all of a time: use --between",
			  format->name);
		return EINVAL;
	}
	if (report->has_max_size && !format->wants_causes) {
		log_error("--max-size: --format '%s': only perfetto has it: leave out one of them",
			  format->name);
		return EINVAL;
	}
	if (format->illustrate)
		select_of_output(&report->select, &report->output);
	if (!report->path || !file_place_is_same(report->path, output))
		return 0;
	log_error("cannot write the report: %s%s%s: it is the recording that is read: name another "
		  "file",
		  output ? "'" : "", output ?: "standard output", output ? "'" : "");
	return EINVAL;
}

static int parse_max_size(const char *arg, struct report_options *report)
{
	char why[PARSE_WHY_LEN];

	report->has_max_size = true;
	return parse_size(arg, &report->output.max_bytes, why) ? refuse_value("max-size", why) : 0;
}

static int parse_run(const char *arg, uint32_t *run)
{
	char why[PARSE_WHY_LEN];
	uint64_t number;

	if (parse_number(arg, 1, UINT32_MAX, &number, why))
		return refuse_value("run", why);
	*run = (uint32_t)number;
	return 0;
}

static int parse_schema(const char *arg, const char **schema)
{
	char names[128];
	struct word_list list = {.text = names, .size = sizeof(names)};
	const char *known;

	*schema = schema_find(arg);
	if (*schema)
		return 0;
	for (size_t i = 0; (known = schema_name_at(i)); i++)
		word_list_add(&list, "%s", known);
	return refuse_word("schema", arg, names);
}

/* What does not go with --schema, or without it. */
static int check_file(const struct report_options *report)
{
	if (report->path && report->schema) {
		log_error("--schema: '%s': a schema is that of every recording: leave out the file",
			  report->path);
		return EINVAL;
	}
	if (report->path || report->schema)
		return 0;
	log_error("cannot report: no FILE: report reads a recording: name one that ipctrace "
		  "--record FILE has made");
	return EINVAL;
}

static error_t parse_report(int key, char *arg, struct argp_state *state)
{
	struct report_options *report = state->input;

	switch (key) {
	case KEY_NO_LIMIT:
		report->no_limit = true;
		return 0;
	case KEY_RUN:
		return parse_run(arg, &report->run);
	case KEY_SCHEMA:
		return parse_schema(arg, &report->schema);
	case KEY_MAX_SIZE:
		return parse_max_size(arg, report);
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &report->output;
		state->child_inputs[1] = &report->select;
		state->child_inputs[2] = &report->calls;
		return 0;
	case ARGP_KEY_ARG:
		if (report->path) {
			log_error("unexpected argument: '%s': report reads one FILE: report them "
				  "one at a "
				  "time",
				  arg);
			return EINVAL;
		}
		report->path = arg;
		return 0;
	case ARGP_KEY_END:
		return check_file(report) ?: check_output(report);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child report_children[] = {{.argp = &run_report_argp},
						    {.argp = &report_select_argp},
						    {.argp = &report_call_argp},
						    {.argp = &attach_hint_argp},
						    {0}};

const struct argp report_argp = {
	.options = report_options,
	.parser = parse_report,
	.args_doc = "FILE",
	.doc = "Show a recording that --record has written, or convert it. This needs no\n"
	       "privileges.\v" DURATION_HELP "\n"
	       "Examples:\n"
	       "  # What did the run show?\n"
	       "  ipctrace report run.ipct\n"
	       "\n"
	       "  # How long did each message take? Write one line per message.\n"
	       "  ipctrace report run.ipct -f ndjson -o messages.ndjson\n"
	       "\n"
	       "  # What did the run look like? Make a page for a browser.\n"
	       "  ipctrace report run.ipct -f html -o run.html\n"
	       "\n"
	       "  # What happened when? Open the file at https://ui.perfetto.dev\n"
	       "  ipctrace report run.ipct -f perfetto -o run.pftrace\n",
	.children = report_children,
};
