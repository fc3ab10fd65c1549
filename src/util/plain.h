/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Escapes text that comes from other programs, such as the names of threads and sockets. Some
 * bytes of such text could control the terminal. Such text therefore passes through plain.c before
 * a terminal shows it. tests/scripts/test_terminal_bytes.py checks this rule.
 *
 * Control characters, invisible characters, and characters that change the direction of text are
 * unsafe. Invalid bytes and the bytes of unsafe characters are replaced by octal numbers (\ooo).
 * Streams of plain_open() keep newlines and tabs. The user's locale (LC_CTYPE) decides what a
 * character is. JSON output has its own escapes (json_value_dump()).
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
