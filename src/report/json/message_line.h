/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the lines of --format ndjson for other uses. */
#pragma once

#include "model/call.h"
#include "model/spec.h"
#include "report/json/json_line.h"

/* Replaces the contents of `line` by the object of a message, or of a call of an attach. */
void message_line_put(struct json_line *line, const struct run_info *info,
		      const struct message *message);
void call_line_put(struct json_line *line, const struct call *call);
