/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attach: one access of a thread to an end of a channel, a send or a receive, and the interval in
 * which the kernel may have counted it. overlap.c compares these intervals.
 */
#pragma once

#include "analysis/attach/channel_usage.h"
#include "analysis/history/timeline.h"

struct end_access {
	uint32_t channel;
	bool receives;
	uint32_t tid;
	uint64_t position; /* POSITION_NONE: it has no message, and only disturbs others */
	bool is_shared;    /* other threads have used this end before */
	bool is_queue;     /* another thread may get a message here while it sleeps */
	uint64_t from_ns;  /* counted at any instant in [from_ns, until_ns] */
	uint64_t until_ns;
};

/* `line`: the sender's. */
struct end_access access_of_send(const struct channel_usage *usage, const struct record_send *send,
				 const struct timeline *line);

/* `awake_ns`: the thread has not slept since, as far as is known, in its call. */
struct end_access access_of_receive(const struct channel_usage *usage,
				    const struct record_receive *receive, uint64_t awake_ns);

struct end_access access_of_beside(const struct channel_usage *usage,
				   const struct record_beside *beside);
