/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses the options of `doctor`. */
#include "cli/output.h"
#include "cli/tables.h"
#include "util/log.h"

#include <errno.h>

static int doctor_finish(void *options)
{
	return output_options_check_whole(options, "doctor");
}

static const struct option_row no_rows[] = {{0}};
static const struct option_table doctor_table = {no_rows, doctor_finish};

const struct command_syntax doctor_syntax = {
	.name = "doctor",
	.doc = "Say whether ipctrace works on this machine. The first line is the answer. Then\n"
	       "comes what an attach and a run can do here, what to do about each limit, and the\n"
	       "facts. The exit status is 0 if 'ipctrace --transport uds --clients 5' can run\n"
	       "here, and 1 if not.\v"
	       "Examples:\n"
	       "  # Can ipctrace run here, and what can it measure?\n"
	       "  sudo ipctrace doctor\n"
	       "\n"
	       "  # Can ipctrace run here? Answer in JSON, for scripts.\n"
	       "  sudo ipctrace doctor -f json\n",
	.instead = "leave it out",
	.part = {{&doctor_table, 0},
		 {&whole_table, offsetof(struct doctor_options, output)},
		 {&attach_hint_table, 0}},
};
