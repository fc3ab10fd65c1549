/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines the argp keys of the options of `run`. Declares run_help(), which adds to the help of an
 * option the values that the option accepts.
 */
#pragma once

/* The keys of the options for argp. */
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
	KEY_STACKS,
	KEY_READER_POLICY,
	KEY_RECORD,
	KEY_BTF,
};

/* The bit in run_options.given that shows that the option was given. */
#define GIVEN(key) (1u << ((key)-KEY_TRANSPORT))

/* argp's help filter: appends the values that an option accepts to its description. */
char *run_help(int key, const char *text, void *input);
