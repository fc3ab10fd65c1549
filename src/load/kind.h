/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines the interface that every kind of background load implements. kinds.c lists the kinds,
 * finds a kind by the value of --load, and checks whether it can run.
 */
#pragma once

#include "load/site.h"

#include <stdbool.h>

/* A program that a load starts, and the Debian package that contains it. */
struct need {
	const char *program; /* a path, or a name that is searched for in PATH */
	const char *package;
};

struct load_kind {
	const char *name;         /* the word of --load; NULL: any command */
	const char *summary;      /* one line for people; NULL without a name */
	const struct need *needs; /* ends with a NULL program; NULL: none */

	/* Returns a need that is not a program and is not met, or NULL. Optional. */
	const struct need *(*lacks)(void);

	/*
	 * Runs in a process of its own. It calls site_ready() once the load works, and goes on
	 * until it is killed. It returns, with the exit status, only after site_fail().
	 */
	int (*run)(struct site *site);
};

extern const struct load_kind launch_load;
extern const struct load_kind ftp_load;
extern const struct load_kind window_load;
extern const struct load_kind cpu_load;
extern const struct load_kind io_load;
extern const struct load_kind memory_load;
extern const struct load_kind command_load;

/* The kind of that name. Any other text is a command. */
const struct load_kind *load_kind_find(const char *text);

/*
 * Whether `text` cannot be run on this machine. `why` then has the reason, in the words of
 * load__start(). No effects.
 */
bool load_refuse(const char *text, char why[LOAD_WHY_LEN]);

/* All but `command_load`; NULL is the end. */
extern const struct load_kind *const load_kinds[];

/* "launch, ftp, window, cpu, io, memory", for messages and help. Static. */
const char *load_names(void);
