/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keeps the requests of a connection that have no answer yet, the oldest first. Most connections
 * have one at a time, and keep memory for one.
 */
#pragma once

#include "analysis/attach/calls/call_output.h"

/* Zero-initialised is empty. */
struct open_requests {
	struct call_message *request; /* owned; [answered, end) are open */
	size_t answered, end, room;
};

static inline size_t open_requests_cnt(const struct open_requests *open)
{
	return open->end - open->answered;
}

/* The open one with this number, from 0 on. */
static inline struct call_message *open_requests_at(const struct open_requests *open, size_t i)
{
	return &open->request[open->answered + i];
}

/* 0 or -ENOMEM. */
int open_requests_add(struct open_requests *open, const struct call_message *request);

/* The oldest ones are answered, or forgotten. */
void open_requests_drop(struct open_requests *open, size_t cnt);

/* How many of the oldest ones had been received at this instant. */
size_t open_requests_received(const struct open_requests *open, uint64_t at_ns);

void open_requests_free(struct open_requests *open);
