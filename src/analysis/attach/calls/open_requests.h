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

/*
 * The last request of a connection that was received in parts. A server may answer it before the
 * last part:
 *
 *	client   sent
 *	server         part   part ... (answers) ...   the rest
 */
enum begun_state {
	BEGUN_NONE,
	BEGUN_PART,     /* its rest has yet to come, ... */
	BEGUN_ANSWERED, /* ... and it has its answer already */
	BEGUN_WHOLE,
};

/* Parts after which it may have been answered: the last ones. */
#define BEGUN_PARTS_KEPT 8

/* Zero-initialised is none. */
struct begun_request {
	enum begun_state state;
	struct call_message message;        /* as its last part so far */
	uint64_t part_ns[BEGUN_PARTS_KEPT]; /* ring: when its parts were received */
	uint32_t part_cnt;
};

/* Whether this is a further part of it, or the whole request. */
bool begun_request_is(const struct begun_request *begun, const struct call_message *request);

void begun_request_add(struct begun_request *begun, const struct call_message *part);

/* When the last part before this instant was received; 0: not known. */
uint64_t begun_request_last_part_ns(const struct begun_request *begun, uint64_t before_ns);

/* Whether the server had the request, or a part of it, at this instant. */
bool begun_request_was_there(const struct begun_request *begun, const struct call_message *request,
			     uint64_t at_ns);
