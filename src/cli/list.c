/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses the options of `list`. */
#include "cli/output.h"
#include "cli/tables.h"
#include "cli/target_list.h"
#include "cli/values.h"
#include "model/transport_names.h"
#include "util/log.h"
#include "util/parse.h"
#include "util/word_list.h"

#include <errno.h>
#include <string.h>

#define NAMES_LEN  256

#define AT(member) offsetof(struct list_options, member)

static const char *transport_words(char names[NAMES_LEN])
{
	struct word_list list = {.text = names, .size = NAMES_LEN};

	for (size_t i = 0; listed_transports[i]; i++)
		word_list_add(&list, "%s", transport_id_name(listed_transports[i]));
	return names;
}

/* 0: there is no transport of this name. */
static enum transport_id find_transport(const char *name)
{
	size_t i = 0;

	while (listed_transports[i] && strcmp(transport_id_name(listed_transports[i]), name))
		i++;
	return listed_transports[i];
}

static int list_set_transports(const struct parsing *parsing, char *arg, void *to)
{
	char word[32], names[NAMES_LEN];
	unsigned int *transports = to;
	const char *rest = arg;
	enum transport_id transport;

	while (parse_word(&rest, word, sizeof(word))) {
		transport = find_transport(word);
		if (!transport)
			return refuse_word(parsing->row->name, word, transport_words(names));
		*transports |= TRANSPORT_BIT(transport);
	}
	return 0;
}

static void list_add_transports(FILE *out)
{
	char names[NAMES_LEN];

	fprintf(out, ": %s", transport_words(names));
}

static const struct option_row list_rows[] = {
	{.help = "What to list:"},
	{"pid", .letter = 'p', .arg = "PID,...", .flags = OPTION_ADDS_UP, .set = set_pids,
	 .to = AT(processes),
	 .help = "Show only channels of these processes (default: all processes). Blanks may "
		 "separate the PIDs, too, as in -p $(pidof postgres)."},
	{"comm", .arg = "GLOB", .flags = OPTION_ADDS_UP, .set = set_comm, .to = AT(processes),
	 .help = "Show only channels of processes with a matching name (default: all processes)"},
	{"transport", .arg = "NAME,...", .flags = OPTION_ADDS_UP, .set = list_set_transports,
	 .to = AT(transports), .values = list_add_transports,
	 .help = "Show only channels of these kinds (default: all)"},
	{0},
};

static int list_set_argument(const struct parsing *parsing, char *arg, void *options)
{
	struct list_options *list = options;

	if (!arg)
		return 0;
	if (target_list_has(&list->processes, TARGET_PID) && is_pid_word(arg))
		return set_pids(parsing, arg, &list->processes);
	return argument_refuse(parsing->syntax, arg);
}

static int list_finish(void *options)
{
	return output_options_check_whole(options, "list");
}

static const struct option_table list_table = {list_rows, list_finish};

const struct command_syntax list_syntax = {
	.name = "list",
	.doc = "Show the local services and connections of this machine, and the processes at\n"
	       "their ends. The first lines have a command to try: it traces the service with\n"
	       "the most connections. For each service, show the option of 'ipctrace attach'\n"
	       "that traces it. Without root, processes of other users have no names.\v" GLOB_HELP
	       "\n"
	       "Examples:\n"
	       "  # Which programs talk to each other on this machine?\n"
	       "  sudo ipctrace list\n"
	       "\n"
	       "  # Which programs talk to redis?\n"
	       "  sudo ipctrace list --comm 'redis-*'\n"
	       "\n"
	       "  # Which unix stream sockets and TCP connections are open? Answer in JSON.\n"
	       "  sudo ipctrace list --transport uds-stream,tcp -f json\n",
	.argument = list_set_argument,
	.instead = "name a process by --pid PID or --comm GLOB",
	.part = {{&list_table, 0}, {&whole_table, AT(output)}, {&list_hint_table, 0}},
};
