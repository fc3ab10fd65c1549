/* SPDX-License-Identifier: BSD-2-Clause */
/* The options of `run` by number, and what --help says of the words that they take. */
#ifndef IPCTRACE_CLI_RUN_HELP_H
#define IPCTRACE_CLI_RUN_HELP_H

/* What getopt calls the options. */
enum {
	KEY_TRANSPORT = 0x100,
	KEY_PATTERN,
	KEY_CLIENTS,
	KEY_MESSAGES,
	KEY_WARMUP,
	KEY_PERIOD,
	KEY_SIZE,
	KEY_HANDLER,
	KEY_LOAD,
	KEY_RUNS,
	KEY_EXPERIMENT,
	KEY_THREADS,
	KEY_READER,
	KEY_READ_SIZE,
	KEY_POLICY,
	KEY_SERVER_PRIORITY,
	KEY_CLIENT_PRIORITY,
	KEY_CPUS,
	KEY_NO_TRACE,
	KEY_OVERHEAD,
	KEY_LEVEL,
	KEY_RECORD,
	KEY_BTF,
};

/* The texts of --help: puts the words that an option takes behind its description. For argp. */
char *run_help(int key, const char *text, void *input);

#endif
