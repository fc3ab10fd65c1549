/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses the command line, and runs the requested command. */
#include "cli/command_line.h"
#include "command/commands.h"
#include "util/caller.h"
#include "util/failure.h"
#include "util/log.h"
#include "util/plain.h"
#include "util/process_limits.h"
#include "util/rights.h"

#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>

#define LARGE_ARRAY (128 << 10) /* bytes */

/* Commands that only read what the user names have no rights that the user has not. */
static void take_rights(enum command command)
{
	if (command == COMMAND_REPORT || command == COMMAND_EXPLAIN)
		rights_drop();
	else
		rights_use();
}

static int run(const struct options *options, char **argv)
{
	take_rights(options->command);
	log_set_level(LOG_WARNING + options->output.verbosity);
	switch (options->command) {
	case COMMAND_ATTACH:
		return attach_run(&options->attach, argv);
	case COMMAND_REPORT:
		return report_run(&options->report);
	case COMMAND_EXPLAIN:
		return explain_run(&options->explain);
	case COMMAND_LIST:
		return list_run(&options->list);
	case COMMAND_DOCTOR:
		return doctor_run(&options->doctor);
	default:
		return run_command(&options->run, argv);
	}
}

/* Apart from main(), whose frame may have to be small. */
__attribute__((noinline)) static int parse_and_run(int argc, char **argv)
{
	struct options options;
	int status = options_parse(argc, argv, &options);

	if (status)
		return status == -ENOMEM ? EXIT_FAILURE : EXIT_USAGE;
	status = caller_find() ? run(&options, argv) : EXIT_USAGE;
	options_free(&options);
	return status;
}

int main(int argc, char **argv)
{
	bool has_stack;

	standard_streams_open();
	has_stack = process_limits_raise();
	rights_begin();
	plain_set_up();
	if (!has_stack) {
		log_error("cannot begin: the stack may not have %u KiB: raise its hard limit "
			  "(RLIMIT_STACK, ulimit -Hs)",
			  STACK_LEAST / 1024);
		return EXIT_FAILURE;
	}
	/*
	 * Memory of large arrays goes back to the system when it is freed, and these grow without
	 * being copied. By default glibc raises this limit to 32 MB on the way.
	 */
	mallopt(M_MMAP_THRESHOLD, LARGE_ARRAY);
	/* A write beyond the file size limit fails with an error then, as on a full disk. */
	signal(SIGXFSZ, SIG_IGN);
	return parse_and_run(argc, argv);
}
