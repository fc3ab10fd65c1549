/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks a PID that a user gave. */
#pragma once

#include <sys/types.h>

/* Whether `pid` is a process with a user-space part, other than this one. 0 or -ESRCH (logged). */
int pid_check(pid_t pid);
