/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses the options that say how calls are found. */
#include "cli/calls.h"

#include "cli/process_words.h"
#include "cli/repeated.h"
#include "util/log.h"

#include <errno.h>
#include <string.h>

enum {
	KEY_SERVER = 0x500,
	KEY_CLIENT,
	KEY_CALLS,
};

#define TITLE "Which messages are calls (a request and its answer):"

#define SERVER_OPTION                                                                              \
	{                                                                                          \
		"server", KEY_SERVER, "GLOB|PID,...", OPTION_ADDS_UP,                              \
			"These processes serve (default: the end that listens, else the target, "  \
			"else the end that receives the first message)",                           \
			0                                                                          \
	}

#define CALLS_OPTION                                                                               \
	{                                                                                          \
		"calls", KEY_CALLS, "fifo", 0,                                                     \
			"On each connection, answers come in the order of the requests, and each " \
			"request and each answer is one message (default: calls with several "     \
			"open requests are shown apart)",                                          \
			0                                                                          \
	}

static const struct argp_option call_option[] = {
	{0, 0, 0, 0, TITLE, 0},
	SERVER_OPTION,
	{"client", KEY_CLIENT, "GLOB|PID,...", OPTION_ADDS_UP,
	 "These processes call (default: the end that does not serve)", 0},
	CALLS_OPTION,
	{0},
};

static const struct argp_option report_call_option[] = {
	{0, 0, 0, 0, TITLE, 0},
	SERVER_OPTION,
	CALLS_OPTION,
	{0},
};

static int parse_calls(const char *arg, struct call_options *calls)
{
	if (!strcmp(arg, "fifo")) {
		calls->in_turn = true;
		return 0;
	}
	log_error("--calls: unknown order: '%s': answers come in no known order, or in that of the "
		  "requests: use --calls fifo, or leave it out",
		  arg);
	return EINVAL;
}

static error_t parse_call(int key, char *arg, struct argp_state *state)
{
	struct call_options *calls = state->input;

	switch (key) {
	case KEY_SERVER:
		return add_process("server", arg, calls->server);
	case KEY_CLIENT:
		return add_process("client", arg, calls->client);
	case KEY_CALLS:
		return parse_calls(arg, calls);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp call_argp = {.options = call_option, .parser = parse_call};
const struct argp report_call_argp = {.options = report_call_option, .parser = parse_call};
