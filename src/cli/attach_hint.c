/* SPDX-License-Identifier: BSD-2-Clause */
/* Refuses options of `attach` that are given to another command. */
#include "cli/tables.h"
#include "util/log.h"

#include <errno.h>
#include <string.h>

static const struct {
	const char *name;
	const char *does;   /* what the command does instead of tracing running programs */
	const char *option; /* of attach, that does the same for these */
} commands[] = {
	{"run", "traces a workload that it starts itself", ""},
	{"report", "shows a recording", ""},
	{"explain", "explains a recording", " --explain"},
	{"list", "shows the channels of all programs, or of those of --pid and --comm", ""},
	{"doctor", "checks this machine", ""},
};

static int attach_hint_refuse(const struct parsing *parsing, char *arg, void *to)
{
	const char *option = parsing->row->name;
	size_t i = 0;

	(void)to;
	while (strcmp(parsing->syntax->name, commands[i].name))
		i++;
	log_error("--%s: '%s': an option of attach: %s %s: to trace programs that run already, use "
		  "sudo ipctrace attach %s--%s %s%s",
		  option, arg, commands[i].name, commands[i].does,
		  !strcmp(option, "duration") ? "-p PID " : "", option, arg, commands[i].option);
	return EINVAL;
}

#define HINT(option, short)                                                                        \
	{                                                                                          \
		option, .letter = (short), .arg = "VALUE",                                         \
			.flags = OPTION_HIDDEN | OPTION_ADDS_UP, .set = attach_hint_refuse         \
	}
#define PLACES HINT("cgroup", 0), HINT("unix", 0), HINT("port", 0), HINT("duration", 'd')

static const struct option_row hint_rows[] = {HINT("pid", 'p'), HINT("comm", 0), PLACES, {0}};
static const struct option_row list_hint_rows[] = {PLACES, {0}};

const struct option_table attach_hint_table = {.rows = hint_rows};
const struct option_table list_hint_table = {.rows = list_hint_rows};
