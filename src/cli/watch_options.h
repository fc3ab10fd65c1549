/* SPDX-License-Identifier: BSD-2-Clause */
/* Defines the options for conditions that are compared while tracing goes on, see cli/watch.h. */
#pragma once

#include "model/condition.h"

#include <stdbool.h>
#include <stdint.h>

struct watch_options {
	struct condition trigger; /* of --trigger, or of --slower-than; no steps: none */
	struct condition stop;    /* no steps: none */
	bool has_trigger;         /* --trigger was given */
	uint64_t keep_ns;
	bool has_keep;
	uint32_t count;      /* windows, then tracing ends; 0: no limit */
	const char *on_slow; /* a command; NULL: none */
};

/* Whether any condition is to be compared. */
static inline bool watch_options_given(const struct watch_options *watch)
{
	return watch->trigger.step_cnt || watch->stop.step_cnt;
}

/* Whether messages are to be explained, which needs --level deep. */
static inline bool watch_options_explain(const struct watch_options *watch)
{
	return watch->has_trigger || watch->stop.step_cnt;
}
