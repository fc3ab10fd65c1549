/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses the options of `list`. */
#include "cli/attach_hint.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/repeated.h"
#include "cli/target_list.h"
#include "model/transport_names.h"
#include "util/log.h"
#include "util/parse.h"
#include "util/word_list.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define NAMES_LEN 256

enum { KEY_COMM = 0x300, KEY_TRANSPORT };

static const struct argp_option list_option[] = {
	{0, 0, 0, 0, "What to list:", 0},
	{"pid", 'p', "PID,...", OPTION_ADDS_UP,
	 "Show only channels of these processes (default: all processes). Blanks may separate the "
	 "PIDs, too, as in -p $(pidof postgres).",
	 0},
	{"comm", KEY_COMM, "GLOB", OPTION_ADDS_UP,
	 "Show only channels of processes with a matching name (default: all "
	 "processes)",
	 0},
	{"transport", KEY_TRANSPORT, "NAME,...", OPTION_ADDS_UP,
	 "Show only channels of these kinds (default: all)", 0},
	{0},
};

static const char *transport_words(char names[NAMES_LEN])
{
	struct word_list list = {.text = names, .size = NAMES_LEN};

	for (size_t i = 0; listed_transport(i); i++)
		word_list_add(&list, "%s", transport_id_name(listed_transport(i)));
	return names;
}

/* 0: there is no transport of this name. */
static enum transport_id find_transport(const char *name)
{
	size_t i = 0;

	while (listed_transport(i) && strcmp(transport_id_name(listed_transport(i)), name))
		i++;
	return listed_transport(i);
}

static error_t parse_transports(const char *arg, unsigned int *transports)
{
	char word[32], names[NAMES_LEN];
	const char *rest = arg;
	enum transport_id transport;

	while (parse_word(&rest, word, sizeof(word))) {
		transport = find_transport(word);
		if (!transport)
			return refuse_word("transport", word, transport_words(names));
		*transports |= TRANSPORT_BIT(transport);
	}
	return 0;
}

static error_t parse_list(int key, char *arg, struct argp_state *state)
{
	struct list_options *list = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &list->output;
		return 0;
	case 'p':
		return target_list_add_pids(&list->processes, arg);
	case KEY_COMM:
		return target_list_add_name(&list->processes, TARGET_COMM, arg);
	case KEY_TRANSPORT:
		return parse_transports(arg, &list->transports);
	case ARGP_KEY_ARG:
		if (target_list_has(&list->processes, TARGET_PID) && is_pid_word(arg))
			return target_list_add_pids(&list->processes, arg);
		log_error("unexpected argument: '%s': list has only options: name a process by "
			  "--pid PID or --comm "
			  "GLOB",
			  arg);
		return EINVAL;
	case ARGP_KEY_END:
		return output_options_check_whole(&list->output, "list");
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static char *list_help(int key, const char *text, void *input)
{
	char names[NAMES_LEN];
	char *whole;

	(void)input;
	if (key != KEY_TRANSPORT || asprintf(&whole, "%s: %s", text, transport_words(names)) < 0)
		return (char *)text;
	return whole;
}

static const struct argp_child list_children[] = {
	{.argp = &whole_argp}, {.argp = &list_hint_argp}, {0}};

const struct argp list_argp = {
	.options = list_option,
	.parser = parse_list,
	.doc = "Show the local services and connections of this machine, and the processes at\n"
	       "their ends. For each service, show the option of 'ipctrace attach' that traces\n"
	       "it. Without root, processes of other users have no names.\v" GLOB_HELP "\n"
	       "Examples:\n"
	       "  # Which programs talk to each other on this machine?\n"
	       "  sudo ipctrace list\n"
	       "\n"
	       "  # Which programs talk to redis?\n"
	       "  sudo ipctrace list --comm 'redis-*'\n"
	       "\n"
	       "  # Which unix stream sockets and TCP connections are open? Answer in JSON.\n"
	       "  sudo ipctrace list --transport uds-stream,tcp -f json\n",
	.children = list_children,
	.help_filter = list_help,
};
