/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Text that no terminal obeys. Names of threads, sockets, files and commands come from foreign
 * programs and hold any bytes. Every byte that goes to a terminal, or into a text that is shown on
 * one later, passes through this file; tests/scripts/test_terminal_bytes.py sees to it that there
 * is no other way. JSON has its own notation for such bytes: json_value_dump() in
 * report/json/json_value.h.
 *
 * A character stays as it is if it takes room on a terminal in the user's locale (LC_CTYPE). All
 * others are control characters (C0, DEL, C1), change the direction of the text, are invisible, or
 * are no characters at all: each of their bytes is shown as \ooo, in octal. Plain text stays as it
 * is.
 */
#ifndef IPCTRACE_UTIL_PLAIN_H
#define IPCTRACE_UTIL_PLAIN_H

#include <stddef.h>
#include <stdio.h>

/* One byte takes up to so many in plain text. */
#define PLAIN_MAX 4

/*
 * The plain form of a line: newline and tab are shown as \ooo, too. `size` is the room of `plain`
 * in bytes, 1 at least, with the NUL at its end; a character that does not fit and all behind it
 * are cut off.
 */
void plain_text(const char *text, char *plain, size_t size);

/* The same for `length` bytes, to a stream. Errors are those of the stream. */
void plain_put(const char *text, size_t length, FILE *out);

/* Columns of a terminal that the plain form takes. */
int plain_columns(const char *text);

/* Bytes of `text`, whole characters, whose plain form takes no more than `columns`. */
size_t plain_fit(const char *text, int columns);

/*
 * A stream that hands on to `out` in plain form what is written to it, and flushes `out` when it is
 * flushed itself. Only newline and tab pass as they are: they are for the layout, what is foreign
 * is for plain_put(). `out` is borrowed; NULL and errno if there is no memory.
 */
FILE *plain_open(FILE *out);

/*
 * Takes over the user's locale, and makes such a stream of stderr: what libraries say there (argp,
 * libbpf) passes through it as well. To be called once, first of all.
 */
void plain_set_up(void);

#endif
