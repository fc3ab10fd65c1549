/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps the stretches in which threads made many short system calls (level deep). */
#pragma once

#include "bpf/deep.h"
#include "container/event_log.h"

#include <stdbool.h>

/* One stretch has calls of at most so many numbers and outcomes. */
#define SHORT_CALL_NUMBERS 4

/*
 * The part of a stretch in some time. In `call[i].ns` of it the thread was in calls of one number
 * and outcome. When that was is not known: where the part is less than the stretch, the time is in
 * proportion.
 */
struct short_calls_part {
	uint64_t from_ns;
	uint64_t to_ns;
	bool only_fails; /* in it, the thread does nothing but make `call[0]` again and again */
	uint32_t cnt;
	struct {
		uint32_t number;
		uint32_t error; /* errno with which they failed; 0: they did not */
		bool is_again;  /* there are so many calls that they come again and again */
		uint64_t ns;
	} call[SHORT_CALL_NUMBERS];
};

void short_calls_init(struct event_log *stretches);

/* 0 or -ENOMEM. */
int short_calls_add(struct event_log *stretches, const struct record_calls *record);

/* The first part of a stretch of the thread in [from_ns, to_ns]. False: there is none. */
bool short_calls_first(struct event_log *stretches, uint32_t tid, uint64_t from_ns, uint64_t to_ns,
		       struct short_calls_part *part);
