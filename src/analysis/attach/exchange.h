/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the calls among the requests and answers of one connection. The messages show times, and
 * not contents:
 *
 *	client   part 1  part 2                            first   last     next request
 *	server         recv    recv ... service ... answer  answer
 *
 * A call begins with the first part of its request, and ends with the last part of its answer. An
 * answer goes on until the next request, or until the server has received something else.
 *
 * If a request is sent while another is open, the order of the answers is not known: such calls are
 * CALL_SEVERAL, and each answer counts for the oldest open request. Each message counts as one
 * request or answer then.
 *
 * A server may also send by itself, for example what another client has published. Then the
 *messages of the client are no requests.
 */
#pragma once

#include "analysis/attach/work_log.h"
#include "analysis/history/timeline.h"
#include "analysis/statistics/service_blame.h"
#include "model/call.h"
#include "model/summary.h"

/* Open requests of one connection; when there are more, the oldest is forgotten. */
#define EXCHANGE_OPEN_MAX 4096

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
	bool is_guessed; /* which end serves */
	bool is_ambiguous;
	bool hides_calls;
};

/* Zero-initialised is empty. */
struct exchange {
	struct call_message *open; /* requests [answered, open_end) */
	size_t answered, open_end, open_room;
	struct call call; /* with its request (has_request) and the answer so far (has_answer) */
	struct request_id parent; /* of that call */
	uint64_t answer_ns;       /* the last part of the answer was sent */
	uint32_t answer_bytes;    /* that part's */
	bool has_request;
	bool has_answer;
	bool was_answered; /* any request ever was */
	bool is_several;   /* several requests are open, or may be */
	uint32_t proofs;   /* how often it was certain that several were open; */
	uint32_t clean;    /* how many answers came since the last time */
	uint32_t
		steady; /* so many requests in a row found as many others open as the one before; */
	size_t steady_cnt; /* that many */

	/* Calls whose request has several parts, until it is clear that these are no requests. */
	struct call *held; /* owned; NULL: none was held yet */
	uint32_t held_cnt;
	bool has_trust; /* so many came without a proof that no further ones are held */

	uint32_t pushed; /* messages that the server may have sent by itself; */
	uint32_t normal; /* first parts of other answers */
};

#define EXCHANGE_HELD_MAX 4

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
	struct service_blame *blame;
	struct calls_summary *calls;
	bool is_in_turn; /* answers come in the order of requests: the user says so */
	call_fn *on_call;
	void *ctx;
	call_service_fn *on_service; /* NULL: not asked for */
	void *service_ctx;           /* of that */
	call_fn *on_answered; /* the call may be complete, or get a further part; NULL: not asked
				 for */
	void *answered_ctx;   /* of that */
};

/*
 * `has_waited`: since it sent the last request, the client has slept for something else than room.
 * 0 or -ENOMEM, or what on_call() returned.
 */
int exchange_request(struct exchange *exchange, const struct call_message *request, bool has_waited,
		     const struct call_output *output);

/* What the server did before it sent a message. */
struct answer_signs {
	bool has_moved_on; /* it received something else since the last part of the answer */
	bool is_pushed; /* it did nothing for the request, but slept, and received something else */
};

/* Returns 1 for an answer or a part of one, else 0, or as exchange_request(). */
int exchange_answer(struct exchange *exchange, const struct call_message *answer,
		    struct answer_signs signs, const struct call_output *output);

/* No message follows. Returns as exchange_request(). */
int exchange_finish(struct exchange *exchange, const struct call_output *output);

/* Frees what it owns. */
void exchange_free(struct exchange *exchange);

/* Forgets open requests and the current call. */
void exchange_clear(struct exchange *exchange);

/* How many requests are open. */
static inline size_t exchange_open(const struct exchange *exchange)
{
	return exchange->open_end - exchange->answered;
}

/* The youngest open request; NULL: none is open. */
static inline const struct call_message *exchange_youngest(const struct exchange *exchange)
{
	return exchange_open(exchange) ? &exchange->open[exchange->open_end - 1] : NULL;
}

/*
 * What threads did from then on is needed to cut the service of an open request; UINT64_MAX: none.
 * At `now_ns` a request that is old is not waited for, if no request of the connection has had an
 * answer.
 */
uint64_t exchange_horizon(const struct exchange *exchange, const struct call_output *output,
			  uint64_t now_ns);

/* Whether so much was sent last that the end of the message may be yet to come. */
static inline bool call_part_is_large(uint32_t bytes)
{
	return bytes >= 16384;
}
