/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares functions that write JSON on one line. No tree of values is built, because a tree would
 * take ten times as long. The output format ndjson writes messages with these functions.
 *
 *	json_line_open(&line, '{');
 *	json_line_key(&line, "bytes", "");
 *	json_line_integer(&line, 64, true);
 *	json_line_close(&line, '}');
 *
 * The functions add the commas.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-initialized is empty. Set `length` to 0 to reuse its memory. */
struct json_line {
	char *text; /* not terminated by NUL */
	size_t length;
	size_t room;
	bool failed; /* out of memory: the text is not complete */
};

void json_line_open(struct json_line *line, char bracket);
void json_line_close(struct json_line *line, char bracket);

/* The key is `name` followed by `more`. It must not need escapes. */
void json_line_key(struct json_line *line, const char *name, const char *more);

/* Values. An unknown one is null. Integers and text are as in json_value.h. */
void json_line_integer(struct json_line *line, uint64_t number, bool known);
void json_line_text(struct json_line *line, const char *text);
void json_line_flag(struct json_line *line, bool flag, bool known);
void json_line_null(struct json_line *line);

void json_line_free(struct json_line *line);
