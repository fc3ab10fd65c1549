/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the supervisor, the process between ipctrace and a background load. On SIGTERM, or when
 * ipctrace or the load ends, the supervisor ends all processes of the load and removes the files
 * of the load.
 */
#pragma once

#include "load/kind.h"
#include "util/caller.h"

struct supervised {
	const struct load_kind *kind;
	const char *text; /* the text of --load: a name or a command */
	const struct caller *as;
	struct load_shared *shared;
	int ready_fd; /* as in struct site */
	pid_t program;
};

/* Runs in a child of the program. Failures are reported in shared->why. */
_Noreturn void supervisor_run(const struct supervised *supervised);
