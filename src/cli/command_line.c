/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the command in the command line, and calls the option parser of this command. */
#include "cli/command_line.h"

#include "cli/output.h"
#include "cli/tables.h"
#include "cli/target_list.h"
#include "util/failure.h"
#include "util/log.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Room for the names of all commands. */
#define COMMANDS_TEXT_LEN 128

static const struct command_syntax *const commands[NR_COMMANDS] = {
	[COMMAND_RUN] = &run_syntax,       [COMMAND_ATTACH] = &attach_syntax,
	[COMMAND_REPORT] = &report_syntax, [COMMAND_EXPLAIN] = &explain_syntax,
	[COMMAND_LIST] = &list_syntax,     [COMMAND_DOCTOR] = &doctor_syntax,
};

/* "run, report or list" */
static void commands_text(char text[COMMANDS_TEXT_LEN])
{
	size_t at = 0;

	for (int i = 0; i < NR_COMMANDS; i++)
		at += snprintf(text + at, COMMANDS_TEXT_LEN - at, "%s%s",
			       !i                     ? ""
			       : i == NR_COMMANDS - 1 ? " or "
						      : ", ",
			       commands[i]->name);
}

/* The first word is the command. Without one, or if an option comes first, it is `run`. */
static int find_command(int argc, char **argv, enum command *command)
{
	char text[COMMANDS_TEXT_LEN];

	*command = COMMAND_RUN;
	if (argc < 2 || argv[1][0] == '-')
		return 0;
	for (int i = 0; i < NR_COMMANDS; i++) {
		if (strcmp(argv[1], commands[i]->name))
			continue;
		*command = i;
		return 1;
	}
	if (argv[1][0] && !argv[1][strspn(argv[1], "0123456789")]) {
		log_error("unknown command: '%s': a number is no command: to trace the process of "
			  "this number, use sudo ipctrace attach -p %s, see ipctrace --help",
			  argv[1], argv[1]);
		return -EINVAL;
	}
	commands_text(text);
	log_error("unknown command: '%s': ipctrace has none of this name: use %s, see ipctrace "
		  "--help",
		  argv[1], text);
	return -EINVAL;
}

static int no_memory(void)
{
	log_error("cannot read the command line: its options: %s", strerror(ENOMEM));
	return -ENOMEM;
}

static int init(struct options *options)
{
	*options = (struct options){.command = options->command};
	if (options->command == COMMAND_RUN && run_options_init(&options->run)) {
		options_free(options);
		return no_memory();
	}
	output_options_init(&options->output);
	return 0;
}

/* True while a parser may exit: it does so after --help, --usage and --version. */
static bool argp_shows;

/* Runs at exit, because the help may still be in stdio's buffer. */
static void check_shown(void)
{
	if (!argp_shows || (!fflush(stdout) && !ferror(stdout)))
		return;
	log_error("cannot write the help: standard output: %s: redirect it to another file",
		  strerror(errno ? errno : EIO));
	_exit(EXIT_FAILURE);
}

/* The parsers exit with success after --help and the like, even if nothing could be written. */
static error_t command_line_parse(struct options *options, int argc, char **argv)
{
	error_t err;

	if (atexit(check_shown))
		return ENOMEM;
	argp_shows = true;
	err = option_table_parse(commands[options->command], argc, argv, &options->output);
	argp_shows = false;
	return err;
}

int options_parse(int argc, char **argv, struct options *options)
{
	int words = find_command(argc, argv, &options->command);
	char name[COMMANDS_TEXT_LEN], *word;
	error_t err;

	if (words < 0)
		return words;
	if (init(options))
		return -ENOMEM;
	argp_err_exit_status = EXIT_USAGE;
	/* argp uses the word before the options as the program's name. */
	snprintf(name, sizeof(name), "ipctrace%s%s", words ? " " : "", words ? argv[words] : "");
	word = argv[words];
	argv[words] = name;
	err = command_line_parse(options, argc - words, argv + words);
	argv[words] = word;
	if (err)
		options_free(options);
	/* argp lacks memory without a word. */
	return err == ENOMEM && !log_has_error() ? no_memory() : -err;
}

void options_free(struct options *options)
{
	if (options->command == COMMAND_RUN)
		run_options_clean(&options->run);
	else if (options->command == COMMAND_ATTACH)
		target_list_free(&options->attach.targets);
	else if (options->command == COMMAND_LIST)
		target_list_free(&options->list.processes);
}
