/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares functions for rights that the program has and the user that started it has not. An
 * administrator can give them to the file of the program, as capabilities (setcap(8)) or by its
 * set-user-ID bit, so that users can trace without root.
 *
 * Whatever the user names is opened or started without these rights: files, folders, commands.
 * Otherwise a user could read any file by the name of a dictionary. The kernel keeps capabilities
 * for each thread, so each function changes the calling thread only. A new thread or process has
 * those of its parent.
 *
 * Root itself (user id 0) has its rights without the program: no function changes these. A change
 * that the kernel refuses ends the program (logged).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * First of all: gives up for good what tracing never needs, and lowers the rest. A program with the
 * set-user-ID bit has the real user id from here on.
 */
void rights_begin(void);

/* From here on, this thread uses what is left. */
void rights_use(void);

/* Gives all rights up for good. */
void rights_drop(void);

/*
 * Stand around what opens something that the user names. They can be nested: only the outermost
 * pair changes anything. `was_used` is what rights_lower() returned. errno stays as it is.
 */
bool rights_lower(void);
void rights_restore(bool was_used);

/* The effective capabilities of this thread, a bit for each; of root, too. */
uint64_t rights_effective(void);
