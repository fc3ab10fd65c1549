/* SPDX-License-Identifier: BSD-2-Clause */
/* A kind of load: one file each, listed in kinds.c. */
#ifndef IPCTRACE_LOAD_KIND_H
#define IPCTRACE_LOAD_KIND_H

#include "load/site.h"

#include <stdbool.h>

/* A program that a load starts, and the Debian package that has it. */
struct need {
	const char *program; /* searched for in PATH, unless it is one */
	const char *package;
};

struct load_kind {
	const char *name;         /* the word of --load; NULL: for any command */
	const struct need *needs; /* ends with a NULL program; NULL: none */

	/* A need that is no program; NULL: it is there. Optional. */
	const struct need *(*lacks)(void);

	/*
	 * In a process of its own. Calls site_ready() once the load works, then goes on until it is
	 * killed. Returns the status to exit with only after site_fail().
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

#endif
