/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The process between the program and a load: it sees that nothing of the load is left, neither
 * process nor file, when the program asks for that (SIGTERM), when the program is gone, or when the
 * load has ended by itself.
 */
#ifndef IPCTRACE_LOAD_SUPERVISOR_H
#define IPCTRACE_LOAD_SUPERVISOR_H

#include "load/kind.h"
#include "util/caller.h"

struct supervised {
	const struct load_kind *kind;
	const char *text; /* what the user wrote: a name or a command */
	const struct caller *as;
	struct load_shared *shared;
	int ready_fd; /* as in struct site */
	pid_t program;
};

/* In a child of the program. Its failures are in shared->why. */
_Noreturn void supervisor_run(const struct supervised *supervised);

#endif
