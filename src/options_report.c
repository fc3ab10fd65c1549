/* SPDX-License-Identifier: BSD-2-Clause */
#include "options_report.h"

#include "log.h"
#include "options_output.h"

#include <errno.h>

static error_t parse_report(int key, char *arg, struct argp_state *state)
{
	struct report_options *report = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &report->output;
		return 0;
	case ARGP_KEY_ARG:
		if (report->path) {
			log_error("report: one FILE at a time: %s: what to do with it?", arg);
			return EINVAL;
		}
		report->path = arg;
		return 0;
	case ARGP_KEY_NO_ARGS:
		log_error("report: no FILE: which recording? make one with ipctrace --record FILE");
		return EINVAL;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child report_children[] = {{.argp = &message_argp}, {0}};

const struct argp report_argp = {
	.parser = parse_report,
	.args_doc = "FILE",
	.doc = "Show or convert a recording that --record has made. Needs no privileges.\v"
	       "Examples:\n"
	       "  ipctrace report run.ipct\n"
	       "  ipctrace report run.ipct -f ndjson -o messages.ndjson\n",
	.children = report_children,
};
