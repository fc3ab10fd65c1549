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
 * A server may answer before it has received the end of a request, as FastCGI servers do. Then the
 * request is what the server had received by then:
 *
 *	client   sent
 *	server         part ... service ... answer ... the rest
 *
 * If the server has received a request while another is open, the order of the answers is not
 * known, see several.h. Each message counts as one request or answer then. A request that is only
 * sent by then waits for the server, which takes one after the other.
 *
 * A server may also send by itself, for example what another client has published. Then the
 * messages of the client are no requests.
 */
#pragma once

#include "analysis/attach/calls/open_requests.h"
#include "analysis/attach/calls/several.h"

/* Open requests of one connection; when there are more, the oldest is forgotten. */
#define EXCHANGE_OPEN_MAX 4096

/* Zero-initialised is empty. */
struct exchange {
	struct open_requests open;
	struct call call; /* with its request (has_request) and the answer so far (has_answer) */
	struct request_id parent; /* of that call */
	uint64_t answer_ns;       /* the last part of the answer was sent */
	uint32_t answer_bytes;    /* that part's */
	uint32_t answerer;        /* the thread that sent the youngest part */
	bool is_doubtful;         /* a further part may be of the answer before, see is_crossing */
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

	struct several several;

	struct begun_request begun;

	uint32_t pushed; /* messages that the server may have sent by itself; */
	uint32_t normal; /* first parts of other answers */
};

#define EXCHANGE_HELD_MAX 4

/*
 * `has_waited`: since it sent the last request, the client has slept for something else than room.
 * 0 or -ENOMEM, or what on_call() returned.
 */
int exchange_request(struct exchange *exchange, const struct call_message *request, bool has_waited,
		     const struct call_output *output);

/* The server has received a part of this request, and may answer it before the rest comes. */
void exchange_part(struct exchange *exchange, const struct call_message *part);

/* The request of which this is a further part, or the whole; NULL: there is none. */
static inline const struct call_message *exchange_begun(const struct exchange *exchange,
							const struct call_message *request)
{
	return begun_request_is(&exchange->begun, request) ? &exchange->begun.message : NULL;
}

/* Whether this is the rest of a request that was answered before it came. */
static inline bool exchange_is_rest(const struct exchange *exchange,
				    const struct call_message *request)
{
	return begun_request_is(&exchange->begun, request) &&
	       exchange->begun.state == BEGUN_ANSWERED;
}

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
	return open_requests_cnt(&exchange->open);
}

/* How many messages of requests it keeps. */
static inline size_t exchange_kept(const struct exchange *exchange)
{
	return exchange_open(exchange) + exchange->several.cnt;
}

/* Whether a message that follows an open request may be a further part of it. */
bool exchange_joins_requests(const struct exchange *exchange);

/* The youngest open request; NULL: none is open. */
static inline const struct call_message *exchange_youngest(const struct exchange *exchange)
{
	return exchange_open(exchange)
		       ? open_requests_at(&exchange->open, exchange_open(exchange) - 1)
		       : NULL;
}

/* Whether exchange_horizon() may be other than UINT64_MAX before the next message comes. */
bool exchange_keeps_history(const struct exchange *exchange, const struct call_output *output);

/*
 * What threads did from then on is needed to cut the service of an open request, or the time until
 * the next part of an answer; UINT64_MAX: none.
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
