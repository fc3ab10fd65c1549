/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses the options of `explain`. */
#include "cli/attach_hint.h"
#include "cli/calls.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/selection.h"
#include "util/file_place.h"
#include "util/log.h"

#include <errno.h>

enum { KEY_NO_LIMIT = 0x700 };

static const struct argp_option explain_options[] = {
	{0, 0, 0, 0, "What to analyse:", 0},
	{"no-limit", KEY_NO_LIMIT, NULL, 0, NO_LIMIT_HELP, 0},
	{0}};

static int take_file(struct explain_options *explain, const char *path)
{
	if (explain->path) {
		log_error("unexpected argument: '%s': explain reads one FILE: name another "
			  "recording with --against FILE",
			  path);
		return EINVAL;
	}
	explain->path = path;
	return 0;
}

static int check(const struct explain_options *explain)
{
	const char *output = explain->output.path;

	if (output_options_check_whole(&explain->output, "explain"))
		return EINVAL;
	if (!explain->path || !file_place_is_same(explain->path, output))
		return 0;
	log_error("cannot write the explanation: %s%s%s: it is the recording that is read: name "
		  "another file",
		  output ? "'" : "", output ?: "standard output", output ? "'" : "");
	return EINVAL;
}

static error_t parse_explain(int key, char *arg, struct argp_state *state)
{
	struct explain_options *explain = state->input;

	switch (key) {
	case KEY_NO_LIMIT:
		explain->no_limit = true;
		return 0;
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &explain->select;
		state->child_inputs[1] = &explain->calls;
		state->child_inputs[2] = &explain->output;
		return 0;
	case ARGP_KEY_ARG:
		return take_file(explain, arg);
	case ARGP_KEY_NO_ARGS:
		log_error("cannot explain: no FILE: explain reads a recording: name one that "
			  "ipctrace --record FILE has made");
		return EINVAL;
	case ARGP_KEY_END:
		return check(explain);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child explain_children[] = {{.argp = &select_argp},
						     {.argp = &report_call_argp},
						     {.argp = &screen_argp},
						     {.argp = &attach_hint_argp},
						     {0}};

const struct argp explain_argp = {
	.options = explain_options,
	.parser = parse_explain,
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
	.children = explain_children,
};
