/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Escapes text for terminals. Names of threads, sockets, files and commands come from foreign
 * programs and can contain any bytes. Every byte that goes to a terminal, or into text that is
 * shown on one later, passes through this file; tests/scripts/test_terminal_bytes.py checks that.
 * JSON has its own escapes, see json_value_dump() in report/json/json_value.h.
 *
 * A character is unchanged if it takes room on a terminal in the user's locale (LC_CTYPE). Control
 * characters (C0, DEL, C1), characters that change the direction of text, invisible characters and
 * invalid bytes are shown as \ooo, in octal, byte by byte. Plain text is unchanged.
 */
#pragma once

#include <stddef.h>
#include <stdio.h>

/* The most bytes that one byte takes in plain text. */
#define PLAIN_MAX 4

/*
 * The plain form of one line: newline and tab become \ooo as well. `size` is the room in bytes with
 * the NUL, at least 1. The text is cut before the first character that does not fit.
 */
void plain_text(const char *text, char *plain, size_t size);

/* Writes the plain form of `length` bytes. Errors are those of the stream. */
void plain_put(const char *text, size_t length, FILE *out);

/* The columns that the plain form takes on a terminal. */
int plain_columns(const char *text);

/* The bytes of `text`, in whole characters, whose plain form takes at most `columns`. */
size_t plain_fit(const char *text, int columns);

/*
 * A stream that writes to `out` in plain form, and flushes `out` when it is flushed. Newline and
 * tab pass unchanged, because they are layout: use plain_put() for foreign text. `out` is borrowed.
 * NULL and errno: out of memory.
 */
FILE *plain_open(FILE *out);

/*
 * Sets the user's locale and replaces stderr by such a stream, so that output of libraries (argp,
 * libbpf) passes through it as well. Call it once, before all else.
 */
void plain_set_up(void);
