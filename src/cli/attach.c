/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses the options of `attach`, such as the processes to trace and the duration. */
#include "cli/output.h"
#include "cli/tables.h"
#include "cli/target_list.h"
#include "cli/trace.h"
#include "cli/values.h"
#include "util/log.h"

#include <errno.h>

#define AT(member) offsetof(struct attach_options, member)

static int set_cgroup(const struct parsing *parsing, char *arg, void *to)
{
	(void)parsing;
	return target_list_add_name(to, TARGET_CGROUP, arg);
}

static int set_unix(const struct parsing *parsing, char *arg, void *to)
{
	(void)parsing;
	return target_list_add_name(to, TARGET_UNIX, arg);
}

static int set_port(const struct parsing *parsing, char *arg, void *to)
{
	uint32_t port;

	return set_count(parsing, arg, &port) ?: target_list_add_number(to, TARGET_PORT, port);
}

static const struct option_row attach_rows[] = {
	{.help = "What to attach to (each process that matches any of these is traced):"},
	{"pid", .letter = 'p', .arg = "PID,...", .flags = OPTION_ADDS_UP, .set = set_pids,
	 .to = AT(targets),
	 .help = "Trace these processes. Blanks may separate the PIDs, too, as in -p $(pidof "
		 "postgres)."},
	{"comm", .arg = "GLOB", .flags = OPTION_ADDS_UP, .set = set_comm, .to = AT(targets),
	 .help = "Trace all processes with a matching name: as in ps -eo comm, with the path of "
		 "the program, or with a script as in 'python3 worker.py'"},
	{"no-children", .set = set_flag, .to = AT(no_children),
	 .help = "Do not trace the children that the processes of --pid and --comm have already "
		 "(default: all of their children are traced, and theirs)"},
	{"cgroup", .arg = "PATH", .flags = OPTION_ADDS_UP, .set = set_cgroup, .to = AT(targets),
	 .help = "Trace all processes of this control group"},
	{"unix", .arg = "PATH|@NAME", .flags = OPTION_ADDS_UP, .set = set_unix, .to = AT(targets),
	 .help = "Trace all processes that have this unix socket open; any name of its file will "
		 "do"},
	{"port", .arg = "N", .flags = OPTION_ADDS_UP, .set = set_port, .min = 1, .max = UINT16_MAX,
	 .to = AT(targets),
	 .help = "Trace all processes with a socket on this local TCP or UDP port"},
	{"-- COMMAND ARG...", .flags = OPTION_DOC | OPTION_NO_USAGE,
	 .help = "Start COMMAND and trace it. ipctrace passes on the exit status of COMMAND."},
	{"as-root", .set = set_flag, .to = AT(as_root),
	 .help = "Start COMMAND as root (default: as the user that called sudo, with the "
		 "environment of that user)"},
	{.help = "How long:"},
	{"duration", .letter = 'd', .arg = "DUR", .set = set_duration, .to = AT(duration_ns),
	 .help = "Stop after DUR (default: on ^C or when the targets exit)"},
	{"interval", .arg = "DUR", .set = set_duration, .to = AT(interval_ns),
	 .help = "Print a line of progress on stderr every DUR (default: on a terminal, one line "
		 "that is rewritten every second)"},
	{.help = "What to trace and keep:"},
	{"peer", .arg = "GLOB|PID,...", .flags = OPTION_ADDS_UP, .set = set_processes,
	 .to = AT(peer),
	 .help = "Report only messages from or to these processes, given by name or PID (default: "
		 "all messages)"},
	LEVEL_ROW(struct attach_options),
	STACKS_ROW(struct attach_options),
	READER_POLICY_ROW(struct attach_options),
	RECORD_ROW(struct attach_options),
	{0},
};

/*
 * All words after "--" are the command and its arguments. Before it, `-p $(pidof NAME)` leaves PIDs
 * as words of their own.
 */
static int attach_set_argument(const struct parsing *parsing, char *arg, void *options)
{
	struct argp_state *state = parsing->state;
	struct attach_options *attach = options;

	if (!arg)
		return 0;
	if (!state->quoted && target_list_has(&attach->targets, TARGET_PID) && is_pid_word(arg))
		return target_list_add_pids(&attach->targets, arg);
	if (!state->quoted) {
		log_error("unexpected argument: '%s': attach has only options before --: name a "
			  "target as in attach -p PID, or put a command to start after --",
			  arg);
		return EINVAL;
	}
	attach->command = state->argv + state->next - 1;
	state->next = state->argc;
	return 0;
}

static int cli_attach_finish(void *options)
{
	struct attach_options *attach = options;
	int err = trace_options_finish(&attach->trace, &attach->output);

	if (err)
		return err;
	if (attach->as_root && !attach->command) {
		log_error("--as-root: no command: only a command that ipctrace starts can run as "
			  "root: add -- COMMAND, or leave out --as-root");
		return EINVAL;
	}
	if (attach->targets.cnt || attach->command)
		return output_options_check(&attach->output, attach->trace.record);
	log_error("cannot attach: no target: attach traces running programs or a command: use "
		  "-p PID, --comm GLOB, --cgroup PATH, --unix PATH, --port N or -- COMMAND");
	return EINVAL;
}

static const struct option_table attach_table = {attach_rows, cli_attach_finish};

const struct command_syntax attach_syntax = {
	.name = "attach",
	.args_doc = "TARGET...\n-- COMMAND ARG...",
	.doc = "Trace programs that already run, and show where the latency of their messages\n"
	       "goes. ipctrace traces all threads of the targets, and all their children. It\n"
	       "also traces the processes at the other end of every channel.\v" DURATION_HELP
		       GLOB_HELP "\n"
	       "Examples:\n"
	       "  # Where do the queries of a database wait?\n"
	       "  sudo ipctrace attach -p $(pidof postgres)\n"
	       "\n"
	       "  # Which messages reach the server on port 5432 in 10 seconds? Answer in JSON.\n"
	       "  sudo ipctrace attach --port 5432 --duration 10s -f json -o postgres.json\n"
	       "\n"
	       "  # How does a program behave from its first message on? Keep all records.\n"
	       "  sudo ipctrace attach --record run.ipct -- ./server --once\n"
	       "\n"
	       "  # What happens around messages that take more than 2 ms? Record only that.\n"
	       "  sudo ipctrace attach --port 5432 --trigger 'latency>2ms' --record slow.ipct\n",
	/* argp would otherwise move the words before "--" into the command after it. */
	.in_order = true,
	.argument = attach_set_argument,
	.part = {{&attach_table, 0},
		 {&message_table, AT(output)},
		 {&explain_live_table, AT(trace)},
		 {&watch_table, AT(trace)},
		 {&call_table, AT(calls)}},
};
