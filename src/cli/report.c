/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses the options of `report`. */
#include "cli/output.h"
#include "cli/selection.h"
#include "cli/tables.h"
#include "cli/values.h"
#include "report/format.h"
#include "report/json/schema.h"
#include "util/log.h"
#include "util/parse.h"
#include "util/word_list.h"

#include <errno.h>

#define AT(member) offsetof(struct report_options, member)

static int set_size(const struct parsing *parsing, char *arg, void *to)
{
	char why[PARSE_WHY_LEN];

	return parse_size(arg, to, why) ? refuse_value(parsing->row->name, why) : 0;
}

static int set_schema(const struct parsing *parsing, char *arg, void *to)
{
	const char **schema = to;
	char names[128];
	struct word_list list = {.text = names, .size = sizeof(names)};
	const char *known;

	*schema = arg;
	if (schema_is_known(arg))
		return 0;
	for (size_t i = 0; (known = schema_name_at(i)); i++)
		word_list_add(&list, "%s", known);
	return refuse_word(parsing->row->name, arg, names);
}

static const struct option_row report_rows[] = {
	{.help = "What to analyse:"},
	{"run", .arg = "N", .set = set_count, .min = 1, .max = UINT32_MAX, .to = AT(run),
	 .help = "Show only this run of a recording that has several, from 1 on (default: all). "
		 "Formats and figures that show one run need it then."},
	{"no-limit", .set = set_flag, .to = AT(no_limit), .help = NO_LIMIT_HELP},
	{"max-size", .arg = "SIZE", .set = set_size, .to = AT(output.max_bytes),
	 .given = AT(has_max_size),
	 .help = "How large the file of --format perfetto may get, as in 50MB (default: 200MB). If "
		 "all does not fit, it has the slowest messages and the 5 ms around each."},
	{"schema", .arg = "NAME", .set = set_schema, .to = AT(schema),
	 .help = "Print the JSON Schema of an output instead (default: none): summary and sweep of "
		 "-f json, messages of -f ndjson, explain and explain_sweep of ipctrace explain, "
		 "list, or doctor. This needs no FILE."},
	{0},
};

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

static int report_check(void *options)
{
	struct report_options *report = options;
	const struct report_format *format = report->output.format;

	if (check_file(report))
		return EINVAL;
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
	return output_options_check_source(&report->output, "report", report->path);
}

static int report_set_file(const struct parsing *parsing, char *path, void *options)
{
	struct report_options *report = options;

	(void)parsing;
	if (report->path && path) {
		log_error("unexpected argument: '%s': report reads one FILE: report them "
			  "one at a "
			  "time",
			  path);
		return EINVAL;
	}
	report->path = path;
	return 0;
}

static const struct option_table report_table = {report_rows, report_check};

const struct command_syntax report_syntax = {
	.name = "report",
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
	.argument = report_set_file,
	.part = {{&report_table, 0},
		 {&run_report_table, AT(output)},
		 {&report_select_table, AT(select)},
		 {&report_call_table, AT(calls)},
		 {&attach_hint_table, 0}},
};
