/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the script in the command line of an interpreter. All servers in Python are named python3:
 * only the script tells one from the other.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * Writes the script of `command`, which has `length` bytes: arguments that each end with NUL, as in
 * /proc/PID/cmdline. The script is a file, "-m MODULE", "-jar FILE" or the class of a Java program.
 * A longer one is
 * cut at its start, which becomes "...". False, and no text: the command is no known
 * interpreter, or has its program in an argument (-c) or from its standard input.
 */
bool interpreter_script(const char *command, size_t length, char *script, size_t size);

/*
 * For people: without the folders of the file, "worker.py" or "-jar app.jar". A name of more
 * than SCRIPT_NAME_SHOWN bytes is cut at its start, which becomes "...".
 */
#define SCRIPT_NAME_SHOWN 32
void script_shorten(const char *script, char *text, size_t size);
