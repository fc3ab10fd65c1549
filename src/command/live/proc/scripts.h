/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the script of each traced process that is an interpreter, for SCRIPT records. The command
 * line is in /proc only while the process lives, and a recording may be read on another machine.
 * Nothing else of the command line is recorded: it may contain a password.
 */
#pragma once

#include "bpf/record.h"
#include "bpf/record_asleep.h"

#include <stdbool.h>

struct scripts;

/* The script of a process now. False, and no text: it executes none. */
bool script_of_process(uint32_t pid, char text[SCRIPT_LEN]);

struct scripts *scripts__new(void); /* NULL: out of memory */
void scripts__free(struct scripts *scripts);

/*
 * A record has come. A THREAD, NAME or ASLEEP can mean that a process is new, or executes another
 * program.
 */
void scripts__see(struct scripts *scripts, const struct record *record);

/*
 * Reads the command lines of some of these processes, and puts what has changed. A process that has
 * ended keeps what is known of it. 0 or what `put` returned.
 */
int scripts__read(struct scripts *scripts, record_put_fn *put, void *ctx);
