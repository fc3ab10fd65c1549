/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * JSON on one line, put together by hand: for what is shown of every message. A tree of values
 * first, as for all other JSON, takes ten times as long.
 *
 *	json_line_open(&line, '{');
 *	json_line_key(&line, "bytes");
 *	json_line_integer(&line, 64, true);
 *	json_line_close(&line, '}');
 *
 * Commas come by themselves.
 */
#ifndef IPCTRACE_REPORT_JSON_JSON_LINE_H
#define IPCTRACE_REPORT_JSON_JSON_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-initialised is empty. Its memory is used again: json_line_free(). */
struct json_line {
	char *text; /* no NUL at its end */
	size_t length;
	size_t room;
	bool failed; /* no memory: the text is not whole */
};

void json_line_open(struct json_line *line, char bracket);
void json_line_close(struct json_line *line, char bracket);

/* `name` and `more` together are the key, which needs no escapes. */
void json_line_key(struct json_line *line, const char *name, const char *more);

/* Values; those that are not known are null. What json_value.h says of integers and text holds. */
void json_line_integer(struct json_line *line, uint64_t number, bool known);
void json_line_text(struct json_line *line, const char *text);
void json_line_flag(struct json_line *line, bool flag, bool known);
void json_line_null(struct json_line *line);

void json_line_free(struct json_line *line);

#endif
