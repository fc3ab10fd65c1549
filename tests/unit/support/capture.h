/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a call says on stdout or stderr. No assertion between begin and end: its message would be
 * captured too.
 */
#ifndef IPCTRACE_TESTS_CAPTURE_H
#define IPCTRACE_TESTS_CAPTURE_H

#include <stddef.h>

struct capture {
	int stream; /* 1 or 2 */
	int saved;
	int file;
	char text[64 * 1024];
};

void capture_begin(struct capture *capture, int stream);
void capture_end(struct capture *capture); /* `text` is valid from here on */

size_t count_lines(const char *text);

/* Fails with the whole text if `part` is, or is not, in it. */
void assert_has(const char *text, const char *part);
void assert_has_not(const char *text, const char *part);

/* One whole line, and `part` is in it. */
void assert_one_line_with(const char *text, const char *part);

#endif
