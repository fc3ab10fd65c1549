/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses the options of `attach`, such as the processes to trace and the duration. */
#include "cli/calls.h"
#include "cli/commands.h"
#include "cli/explain_live.h"
#include "cli/output.h"
#include "cli/process_words.h"
#include "cli/repeated.h"
#include "cli/target_list.h"
#include "cli/watch.h"
#include "util/log.h"

#include <errno.h>

enum {
	KEY_COMM = 0x300,
	KEY_CGROUP,
	KEY_UNIX,
	KEY_PORT,
	KEY_PEER,
	KEY_INTERVAL,
	KEY_LEVEL,
	KEY_STACKS,
	KEY_READER_POLICY,
	KEY_RECORD,
	KEY_AS_ROOT,
	KEY_NO_CHILDREN,
};

static const struct argp_option attach_option[] = {
	{0, 0, 0, 0, "What to attach to (each process that matches any of these is traced):", 0},
	{"pid", 'p', "PID,...", OPTION_ADDS_UP,
	 "Trace these processes. Blanks may separate the PIDs, too, as in -p $(pidof postgres).",
	 0},
	{"comm", KEY_COMM, "GLOB", OPTION_ADDS_UP,
	 "Trace all processes with a matching name: as in ps -eo comm, with the path of the "
	 "program, or "
	 "with a script as in 'python3 worker.py'",
	 0},
	{"no-children", KEY_NO_CHILDREN, 0, 0,
	 "Do not trace the children that the processes of --pid and --comm have already (default: "
	 "all of their children are traced, and theirs)",
	 0},
	{"cgroup", KEY_CGROUP, "PATH", OPTION_ADDS_UP, "Trace all processes of this control group",
	 0},
	{"unix", KEY_UNIX, "PATH|@NAME", OPTION_ADDS_UP,
	 "Trace all processes that have this unix socket open; any name of its file will do", 0},
	{"port", KEY_PORT, "N", OPTION_ADDS_UP,
	 "Trace all processes with a socket on this local TCP or UDP port", 0},
	{"-- COMMAND ARG...", 0, 0, OPTION_DOC | OPTION_NO_USAGE,
	 "Start COMMAND and trace it. ipctrace passes on the exit status of COMMAND.", 0},
	{"as-root", KEY_AS_ROOT, 0, 0,
	 "Start COMMAND as root (default: as the user that called sudo, with the environment of "
	 "that user)",
	 0},
	{0, 0, 0, 0, "How long:", 0},
	{"duration", 'd', "DUR", 0, "Stop after DUR (default: on ^C or when the targets exit)", 0},
	{"interval", KEY_INTERVAL, "DUR", 0,
	 "Print a line of progress on stderr every DUR (default: on a terminal, one line that is "
	 "rewritten every second)",
	 0},
	{0, 0, 0, 0, "What to trace and keep:", 0},
	{"peer", KEY_PEER, "GLOB|PID,...", OPTION_ADDS_UP,
	 "Report only messages from or to these processes, given by name or PID (default: all "
	 "messages)",
	 0},
	{"level", KEY_LEVEL, "NAME", 0, LEVEL_HELP, 0},
	{"stacks", KEY_STACKS, "DUR", OPTION_ARG_OPTIONAL, STACKS_HELP, 0},
	{"reader-policy", KEY_READER_POLICY, "POLICY", 0, READER_POLICY_HELP, 0},
	{"record", KEY_RECORD, "FILE", 0, RECORD_HELP, 0},
	{0},
};

/*
 * All words after "--" are the command and its arguments. Before it, `-p $(pidof NAME)` leaves PIDs
 * as words of their own.
 */
static int parse_argument(const char *arg, struct argp_state *state, struct attach_options *attach)
{
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

static int finish(struct attach_options *attach)
{
	int err = explain_live_finish(&attach->explain, &attach->output, attach->record);
	bool explains = attach->explain.is_asked || watch_options_explain(&attach->watch);

	if (!err)
		err = watch_options_finish(&attach->watch, &attach->output, attach->record);
	if (!err)
		err = stacks_check(attach->stacks_over_ns, explains || attach->record);
	if (err)
		return err;
	if ((explains || attach->stacks_over_ns) && !attach->has_level)
		attach->level = LEVEL_DEEP;
	if (attach->as_root && !attach->command) {
		log_error("--as-root: no command: only a command that ipctrace starts can run as "
			  "root: add -- COMMAND, or leave out --as-root");
		return EINVAL;
	}
	if (attach->targets.cnt || attach->command)
		return output_options_check(&attach->output, attach->record);
	log_error("cannot attach: no target: attach traces running programs or a command: use "
		  "-p PID, --comm GLOB, --cgroup PATH, --unix PATH, --port N or -- COMMAND");
	return EINVAL;
}

static int add_port(struct target_list *targets, const char *arg)
{
	uint32_t port;

	return parse_count("port", arg, UINT16_MAX, &port)
		       ?: target_list_add_number(targets, TARGET_PORT, port);
}

static error_t parse_attach(int key, char *arg, struct argp_state *state)
{
	struct attach_options *attach = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &attach->output;
		state->child_inputs[1] = &attach->explain;
		state->child_inputs[2] = &attach->watch;
		state->child_inputs[3] = &attach->calls;
		return 0;
	case 'p':
		return target_list_add_pids(&attach->targets, arg);
	case KEY_COMM:
		return target_list_add_name(&attach->targets, TARGET_COMM, arg);
	case KEY_CGROUP:
		return target_list_add_name(&attach->targets, TARGET_CGROUP, arg);
	case KEY_UNIX:
		return target_list_add_name(&attach->targets, TARGET_UNIX, arg);
	case KEY_PORT:
		return add_port(&attach->targets, arg);
	case KEY_PEER:
		return add_process("peer", arg, attach->peer);
	case 'd':
		return parse_period("duration", arg, &attach->duration_ns);
	case KEY_INTERVAL:
		return parse_period("interval", arg, &attach->interval_ns);
	case KEY_LEVEL:
		attach->has_level = true;
		return parse_level(arg, &attach->level);
	case KEY_STACKS:
		return parse_stacks(arg, &attach->stacks_over_ns);
	case KEY_READER_POLICY:
		return parse_reader_policy(arg, &attach->reader);
	case KEY_RECORD:
		attach->record = arg;
		return 0;
	case KEY_NO_CHILDREN:
		attach->no_children = true;
		return 0;
	case KEY_AS_ROOT:
		attach->as_root = true;
		return 0;
	case ARGP_KEY_ARG:
		return parse_argument(arg, state, attach);
	case ARGP_KEY_END:
		return finish(attach);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child attach_children[] = {{.argp = &message_argp},
						    {.argp = &explain_live_argp},
						    {.argp = &watch_argp},
						    {.argp = &call_argp},
						    {0}};

const struct argp attach_argp = {
	.options = attach_option,
	.parser = parse_attach,
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
	.children = attach_children,
};
