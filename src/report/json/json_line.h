/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares a line of JSON. No tree of values is built, because a tree would take ten times as long.
 * The output format ndjson writes its lines so.
 */
#pragma once

#include "model/members/members.h"

/* Zero-initialized is empty. Its memory is reused. */
struct json_line {
	char *text; /* not terminated by NUL */
	size_t length;
	size_t room;
	bool failed; /* out of memory: the text is not complete */
};

/* Replaces the contents by the object of a struct. See fields_write(). */
void json_line_put(struct json_line *line, const struct members *table, const struct run_info *info,
		   const void *of);
void json_line_free(struct json_line *line);
