/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds out which thread that slept when tracing ended shows why a program hangs. */
#pragma once

#include "model/summary.h"

#define WAITING_LINKS_MAX 4

/*
 * Each thread waits for the process of the next one: to make room in a channel, or to send. The
 * last one waits for something else, or what it does is not known.
 */
struct waiting_chain {
	const struct sleeper_summary *link[WAITING_LINKS_MAX];
	uint32_t cnt;   /* 0: nothing can be said */
	bool is_circle; /* the last one waits for the process of the first one */
};

/* If no message was seen: of a thread of a target, or else of a peer. */
struct waiting_chain waiting_in_silence(const struct summary *summary);

/* If messages were seen: of a thread that waits for room longer than any message took. */
struct waiting_chain waiting_at_end(const struct summary *summary);

/* For so long, when tracing ended; 0: not known. */
uint64_t sleeper_ns(const struct summary *summary, const struct sleeper_summary *sleeper);
