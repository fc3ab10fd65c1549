/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines the messages of a connection that make calls, cuts the service of a call, and says where
 * completed calls go.
 */
#pragma once

#include "analysis/attach/calls/work_log.h"
#include "analysis/history/timeline.h"
#include "analysis/statistics/service.h"
#include "model/call.h"
#include "model/summary.h"

/* A message of the connection. */
struct call_message {
	uint32_t channel;
	uint32_t transport;
	uint64_t position;
	uint32_t bytes;
	uint64_t number;          /* of the call; requests only */
	struct request_id parent; /* the same: it was made in the service of that one */
	struct party client;
	struct party server;
	uint64_t sent_ns;
	uint64_t recv_ns;
	uint64_t component_ns[NR_COMPONENTS]; /* from sent to recv; 0: not known */
	bool is_guessed;                      /* which end serves */
	bool is_ambiguous;
	bool hides_calls;
	/* Requests only: */
	bool is_apart;    /* it is no further part of the one before */
	bool is_crossing; /* it was sent before the answer to the one before came back */
};

struct channel_book;
struct made_calls;
struct service_path;

/*
 * A call has the first part of its answer. `path`: the threads that worked on it; without parts
 * that is not known. 0 or -ENOMEM.
 */
typedef int call_service_fn(void *ctx, const struct call *call, const struct service_path *path);

/* Where completed calls go; all borrowed. */
struct call_output {
	struct timelines *lines;
	struct work_log *work;
	struct made_calls *made; /* set by call_matcher__new() */
	struct service_blame *blame;
	struct calls_summary *calls;
	bool is_in_turn; /* answers come in the order of requests: the user says so */
	call_fn *on_call;
	void *ctx;
	call_service_fn *on_service; /* NULL: not asked for */
	void *service_ctx;           /* of that */
	/* The service behind a channel; NULL: each channel leads to another one. */
	uint64_t (*callee)(const struct channel_book *book, uint32_t channel);
	const struct channel_book *book; /* of that */
	call_fn *on_answered; /* the call may be complete, or get a further part; NULL: not asked
				 for */
	void *answered_ctx;   /* of that */
};

/* The call is complete, and stays the caller's. What on_call() returned. */
int call_output_add(const struct call_output *output, const struct call *call);

/*
 * Puts a call together: it lasts from the first part of its request to the last one of its answer.
 * Zero-initialised, it has no part.
 */
void call_add_request(struct call *call, const struct call_message *part);
void call_add_answer(struct call *call, const struct call_message *part);

/*
 * A request that was answered before this call had its answer did not wait for it. `parent` is the
 * request that the call seems to have been made for.
 */
void call_check_parent(struct call *call, const struct request_id *parent,
		       const struct call_output *output);

/*
 * The service is cut by the states of the threads that worked on the request, one after the other.
 * Without traced syscalls the service ends when the answer is queued, which on TCP a softirq may do
 * after the sender has left its CPU.
 *
 * Completes the call. 0, -ENOMEM, or what on_service() returned.
 */
int call_service_cut(struct call *call, const struct call_message *answer,
		     const struct call_output *output);

/*
 * The time from one part of the answer to the next, `part`, is the server's, too. What it did is
 * known if one thread has sent both; `answerer` sent the one before. The caller frees
 * `call->between`. 0 or -ENOMEM.
 */
int call_service_between(struct call *call, uint32_t answerer, const struct call_message *part,
			 const struct call_output *output);
