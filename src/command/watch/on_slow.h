/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Executes a command for messages that fulfil a condition (--on-slow), as the user that called
 * sudo. At most one command runs at a time. It never blocks the caller.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct on_slow;

/* `command` is borrowed, and goes to sh -c. NULL: out of memory, or logged by caller_find(). */
struct on_slow *on_slow__new(const char *command);

/* The process in whose session is all that the command starts. */
uint32_t on_slow__pid(const struct on_slow *slow);

/* The command gets the text on stdin. If one still runs, the message is counted as skipped. */
void on_slow__start(struct on_slow *slow, const char *text, size_t length);

/* Notes that the command has ended. */
void on_slow__reap(struct on_slow *slow);

/* Gives the last command some time to end, ends it, and logs what was skipped. NULL is ignored. */
void on_slow__free(struct on_slow *slow);
