/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses the options of `explain`. */
#include "cli/output.h"
#include "cli/tables.h"
#include "cli/values.h"
#include "util/log.h"

#include <errno.h>

#define AT(member) offsetof(struct explain_options, member)

static const struct option_row explain_rows[] = {
	{.help = "What to analyse:"},
	{"no-limit", .set = set_flag, .to = AT(no_limit), .help = NO_LIMIT_HELP},
	{0},
};

static int explain_set_file(const struct parsing *parsing, char *path, void *options)
{
	struct explain_options *explain = options;

	(void)parsing;
	if (!path) {
		log_error("cannot explain: no FILE: explain reads a recording: name one that "
			  "ipctrace --record FILE has made");
		return EINVAL;
	}
	if (explain->path) {
		log_error("unexpected argument: '%s': explain reads one FILE: name another "
			  "recording with --against FILE",
			  path);
		return EINVAL;
	}
	explain->path = path;
	return 0;
}

static int explain_check(void *options)
{
	const struct explain_options *explain = options;

	if (output_options_check_whole(&explain->output, "explain"))
		return EINVAL;
	return output_options_check_source(&explain->output, "explanation", explain->path);
}

static const struct option_table explain_table = {explain_rows, explain_check};

const struct command_syntax explain_syntax = {
	.name = "explain",
	.args_doc = "FILE",
	.doc = "Explain why the slow messages of a recording were slow. The difference between\n"
	       "them and the others is cut by component and culprit. This needs no\n"
	       "privileges. Record with --level deep for all causes.\v" DURATION_HELP GLOB_HELP "\n"
	       "Examples:\n"
	       "  # Why are the slowest 1 % slow?\n"
	       "  ipctrace explain run.ipct\n"
	       "\n"
	       "  # What happened half a second after three seconds?\n"
	       "  ipctrace explain run.ipct --between 3s 3.5s --against others\n"
	       "\n"
	       "  # Where was this message? ndjson has the numbers of all messages.\n"
	       "  ipctrace explain run.ipct --message 17/4211\n",
	.argument = explain_set_file,
	.part = {{&explain_table, 0},
		 {&select_table, AT(select)},
		 {&report_call_table, AT(calls)},
		 {&screen_table, AT(output)},
		 {&attach_hint_table, 0}},
};
