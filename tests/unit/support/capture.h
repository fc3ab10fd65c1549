/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Captures stdout or stderr. No assertion between begin and end: its message would be captured as
 * well.
 */
#pragma once

#include <stddef.h>

struct capture {
	int stream; /* 1 or 2 */
	int saved;
	int file;
	char text[64 * 1024];
};

void capture_begin(struct capture *capture, int stream);
void capture_end(struct capture *capture); /* `text` is valid after this */

size_t count_lines(const char *text);

/* Fails with the whole text if `part` is missing, or there. */
void assert_has(const char *text, const char *part);
void assert_has_not(const char *text, const char *part);

/* Expects one line that contains `part`. */
void assert_one_line_with(const char *text, const char *part);
