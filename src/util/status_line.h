/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the status line: one line on stderr that is rewritten in place while work goes on. What
 * else is written to the terminal has to come after status_line_clear(), as log.c does it.
 *
 * The cursor rests at the beginning of the line. A terminal that becomes narrower may break the
 * line into several rows: the cursor stays in the first of these, so that all of them are cleared.
 * What the user types, such as ^C, is written over the line and is cleared with it.
 */
#pragma once

/* Longer ones are cut. */
#define STATUS_LINE_LEN 1024

/*
 * Replaces the line. `text` is plain (util/plain.h), and narrower than the terminal. Does nothing
 * while the terminal takes no output (^S), because the caller should not wait.
 */
void status_line_show(const char *text);

/* Removes the line. Does nothing if there is none. */
void status_line_clear(void);
