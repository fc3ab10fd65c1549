/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * JSON on one line, put together by hand: for what is shown of every message. A tree of values
 * first, as for all other JSON, takes ten times as long.
 *
 *	line_open(&line, '{');
 *	line_key(&line, "bytes");
 *	line_integer(&line, 64, true);
 *	line_close(&line, '}');
 *
 * Commas come by themselves.
 */
#ifndef IPCTRACE_REPORT_JSON_JSON_LINE_H
#define IPCTRACE_REPORT_JSON_JSON_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-initialised is empty. Its memory is used again: line_free(). */
struct line {
	char *text; /* no NUL at its end */
	size_t length;
	size_t room;
	bool failed; /* no memory: the text is not whole */
};

void line_open(struct line *line, char bracket);
void line_close(struct line *line, char bracket);

/* `name` and `more` together are the key, which needs no escapes. */
void line_key(struct line *line, const char *name, const char *more);

/* Values; those that are not known are null. What json_value.h says of integers and text holds. */
void line_integer(struct line *line, uint64_t number, bool known);
void line_text(struct line *line, const char *text);
void line_flag(struct line *line, bool flag, bool known);
void line_null(struct line *line);

void line_free(struct line *line);

#endif
