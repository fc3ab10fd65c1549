/* SPDX-License-Identifier: BSD-2-Clause */
#include "options.h"

#include "options_output.h"
#include "options_run.h"
#include "log.h"
#include "version.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define EXIT_USAGE 2

const char *argp_program_version = "ipctrace " IPCTRACE_VERSION;

static error_t parse_report(int key, char *arg, struct argp_state *state)
{
	struct report_options *report = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &report->output;
		return 0;
	case ARGP_KEY_ARG:
		if (report->path) {
			log_error("report: one FILE at a time: %s: what to do with it?", arg);
			return EINVAL;
		}
		report->path = arg;
		return 0;
	case ARGP_KEY_NO_ARGS:
		log_error("report: no FILE: which recording? make one with ipctrace --record FILE");
		return EINVAL;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child report_children[] = {{.argp = &output_argp}, {0}};

static const struct argp report_argp = {
	.parser = parse_report,
	.args_doc = "FILE",
	.doc = "Show or convert a recording that --record has made. Needs no privileges.\v"
	       "Examples:\n"
	       "  ipctrace report run.ipct\n"
	       "  ipctrace report run.ipct -f ndjson -o messages.ndjson\n",
	.children = report_children,
};

static const struct {
	const char *name;
	const struct argp *argp;
} commands[NR_COMMANDS] = {
	[COMMAND_RUN] = {"run", &run_argp},
	[COMMAND_REPORT] = {"report", &report_argp},
};

/* The first word, unless it is an option: then the command is `run`. */
static int find_command(int argc, char **argv, enum command *command)
{
	*command = COMMAND_RUN;
	if (argc < 2 || argv[1][0] == '-')
		return 0;
	for (int i = 0; i < NR_COMMANDS; i++) {
		if (strcmp(argv[1], commands[i].name))
			continue;
		*command = i;
		return 1;
	}
	log_error("unknown command '%s': use run or report, see ipctrace --help", argv[1]);
	return -EINVAL;
}

int options_parse(int argc, char **argv, struct options *options)
{
	int words = find_command(argc, argv, &options->command);
	char *word;
	error_t err;

	if (words < 0)
		return words;
	if (options->command != COMMAND_RUN) {
		memset(&options->report, 0, sizeof(options->report));
	} else if (run_options_init(&options->run)) {
		options_free(options);
		log_error("cannot read the command line: out of memory");
		return -ENOMEM;
	}
	output_options_init(options->command == COMMAND_RUN ? &options->run.output
							    : &options->report.output);
	argp_err_exit_status = EXIT_USAGE;
	/* argp takes the word before the options for the program's name. */
	word = argv[words];
	argv[words] = argv[0];
	err = argp_parse(commands[options->command].argp, argc - words, argv + words, 0, NULL,
			 options->command == COMMAND_RUN ? (void *)&options->run
							 : (void *)&options->report);
	argv[words] = word;
	if (err)
		options_free(options);
	return err ? -EINVAL : 0;
}

void options_free(struct options *options)
{
	if (options->command != COMMAND_RUN)
		return;
	free(options->run.clients);
	free(options->run.sizes);
	cells_free(&options->run.cells);
}
