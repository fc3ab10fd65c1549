/* SPDX-License-Identifier: BSD-2-Clause */
/* Refuses options of `attach` that are given to another command. */
#include "cli/attach_hint.h"

#include "cli/repeated.h"
#include "util/log.h"

#include <errno.h>
#include <string.h>

enum { KEY_COMM = 0x900, KEY_CGROUP, KEY_UNIX, KEY_PORT };

#define HINT(name, key)                                                                            \
	{                                                                                          \
		name, key, "VALUE", OPTION_HIDDEN | OPTION_ADDS_UP, 0, 0                           \
	}

#define PLACES                                                                                     \
	HINT("cgroup", KEY_CGROUP), HINT("unix", KEY_UNIX), HINT("port", KEY_PORT),                \
		HINT("duration", 'd')

static const struct argp_option hint_option[] = {
	HINT("pid", 'p'), HINT("comm", KEY_COMM), PLACES, {0}};

static const struct argp_option list_hint_option[] = {PLACES, {0}};

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

/* state->name is "ipctrace explain"; without a command it is `run`. */
static size_t command_of(const struct argp_state *state)
{
	const char *space = strchr(state->name, ' ');

	for (size_t i = 1; space && i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (!strcmp(space + 1, commands[i].name))
			return i;
	}
	return 0;
}

static int refuse(const struct argp_state *state, const char *option, const char *arg)
{
	size_t command = command_of(state);

	log_error("--%s: '%s': an option of attach: %s %s: to trace programs that run already, use "
		  "sudo ipctrace attach %s--%s %s%s",
		  option, arg, commands[command].name, commands[command].does,
		  !strcmp(option, "duration") ? "-p PID " : "", option, arg,
		  commands[command].option);
	return EINVAL;
}

static error_t parse_hint(int key, char *arg, struct argp_state *state)
{
	for (const struct argp_option *option = hint_option; option->key; option++) {
		if (option->name && option->key == key)
			return refuse(state, option->name, arg);
	}
	return ARGP_ERR_UNKNOWN;
}

const struct argp attach_hint_argp = {.options = hint_option, .parser = parse_hint};
const struct argp list_hint_argp = {.options = list_hint_option, .parser = parse_hint};
