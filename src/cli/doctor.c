/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses the options of `doctor`. */
#include "cli/attach_hint.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "util/log.h"

#include <errno.h>

static error_t parse_doctor(int key, char *arg, struct argp_state *state)
{
	struct doctor_options *doctor = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &doctor->output;
		return 0;
	case ARGP_KEY_ARG:
		log_error("unexpected argument: '%s': doctor has only options: leave it out", arg);
		return EINVAL;
	case ARGP_KEY_END:
		return output_options_check_whole(&doctor->output, "doctor");
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child doctor_children[] = {
	{.argp = &whole_argp}, {.argp = &attach_hint_argp}, {0}};

const struct argp doctor_argp = {
	.parser = parse_doctor,
	.doc = "Show what this kernel and its settings support. For each missing feature, show\n"
	       "what ipctrace cannot do without it, and what to do about it. The exit status is\n"
	       "0 if 'ipctrace --transport uds --clients 5' can run here, and 1 if not.\v"
	       "Examples:\n"
	       "  # Can ipctrace run here, and what can it measure?\n"
	       "  sudo ipctrace doctor\n"
	       "\n"
	       "  # Can ipctrace run here? Answer in JSON, for scripts.\n"
	       "  sudo ipctrace doctor -f json\n",
	.children = doctor_children,
};
