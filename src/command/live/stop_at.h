/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Explains the message of --stop-at behind the report, by means of --explain. Without --record and
 * --explain, a temporary recording has only the time around this message.
 */
#pragma once

#include "cli/select_options.h"
#include "cli/watch_options.h"
#include "command/watch/watch.h"

#include <stdbool.h>

struct output;

/* What is to be explained if a message ends tracing: `asked` is what --explain says. */
struct explain_live_options stop_at_explains(const struct explain_live_options *asked,
					     const struct watch_options *watch,
					     const struct output *output);

/* Whether the temporary recording is one of windows. `record`: the file of --record, or NULL. */
bool stop_at_records_window(const struct explain_live_options *asked,
			    const struct watch_options *watch, const char *record);

/* What is explained is the message or call that has ended tracing. */
void stop_at_select(struct explain_live_options *options, const struct occasion *stopped_by);
