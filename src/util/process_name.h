/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares a process with a name that a user gave. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Reads at most `size` bytes of the arguments, which each end with NUL. The length; 0: none. */
size_t process_command(pid_t pid, char *command, size_t size);

/*
 * Whether `glob` is a name of this process:
 * - `comm`, the kernel's name of it, which has at most 15 bytes,
 * - the whole name of the program if `comm` is cut,
 * - with a slash, the path of the program or of the script that it executes,
 * - with a blank, the name with the script: "python3 worker.py".
 */
bool process_has_name(pid_t pid, const char *comm, const char *glob);
