/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the keeper, the process between ipctrace and the commands of --on-slow. All that a
 * command starts becomes a child of the keeper when its parent ends, so that the keeper can end it,
 * in whatever process group or session it is.
 */
#pragma once

#include "util/caller.h"

/*
 * The keeper gets one message with one descriptor for each command: the stdin of the command. It
 * answers each with a struct slow_end when the shell of the command has ended. When the program
 * closes its end, or shuts it down, no further command comes: the keeper then waits for all that is
 * left and ends.
 */
struct slow_keeper {
	const char *command;
	const struct caller *caller;
	int socket;    /* SOCK_SEQPACKET */
	pid_t program; /* when it ends, in whatever way, the keeper ends all that is left */
};

struct slow_end {
	int err;    /* errno: the command could not be started */
	int status; /* as of waitpid() */
};

/* Runs the keeper in a new process. SIGTERM makes it end all that is left, and then itself. */
_Noreturn void slow_keeper_run(const struct slow_keeper *keeper);
