/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines a call of an attach: a request with its answer, each of which is one message or several.
 *
 *	client  sent .. (more parts)                              .. first_back    back
 *	server                 received ... service ... answered .... last_sent
 *
 * The request ends when its last part is received, of which the rest may come after the answer: the
 * server has begun to act on it. The answer begins when its first part is sent,
 * and ends when its last part is received.
 */
#pragma once

#include "model/blocked_calls.h"
#include "model/message.h"
#include "model/server_time.h"

/* How sure it is that the answer belongs to the request. */
enum call_match {
	CALL_ALONE,   /* the server had no other request of the connection */
	CALL_IN_TURN, /* the user says that answers come in the order of requests */
	CALL_SEVERAL, /* several were open: the answer may belong to another request */
	NR_CALL_MATCHES,

	/* The same, but not each has a counterpart: its times are not known. Only counted. */
	CALL_UNBALANCED = NR_CALL_MATCHES
};

#define CALL_CALLEES_MAX 4

#define SERVICE_NAME_LEN 96

/* Calls to one service that were made in the service of a call. */
struct call_callee {
	uint32_t channel; /* of the last one's request */
	uint32_t calls;
	uint64_t ns; /* for how long at least one of them was open */
};

struct call {
	uint64_t number;         /* from 1, in the order in which requests were received */
	uint64_t parent;         /* the call in whose service this one was made; 0: none is known */
	uint32_t parent_channel; /* of that one's request */
	uint32_t channel;        /* of the request */
	uint64_t position;       /* there, of its last part */
	uint32_t back_channel;   /* the same of the answer */
	uint64_t back_position;
	uint32_t transport; /* enum transport_id */
	struct party client;
	struct party server; /* the thread that received the request's last part */
	uint32_t requests;   /* messages */
	uint32_t answers;
	uint64_t sent_ns;       /* the first part of the request was sent */
	uint64_t received_ns;   /* its last part was received */
	uint64_t answered_ns;   /* the first part of the answer was sent */
	uint64_t first_back_ns; /* and received */
	uint64_t back_ns;       /* the last part of the answer was received */
	uint64_t
		request_part_ns[NR_COMPONENTS]; /* the components of the request's last part, ... */
	uint64_t response_part_ns[NR_COMPONENTS]; /* ... and of the answer's; 0: not known */
	enum call_match match;
	bool is_guessed;   /* which end serves is a guess */
	bool is_ambiguous; /* a message of the call is */
	bool has_states;   /* what the server did is known: these add up to the service */
	uint64_t state_ns[NR_SERVICE_STATES];
	struct blocked_calls blocked; /* the syscalls of SERVICE_BLOCKED */
	struct blame_top blame;       /* of SERVICE_RUNQUEUE */
	uint32_t threads;             /* has_states: so many served, one after the other; */
	uint32_t worker;              /* the one (tid) that had it longest */
	uint64_t last_sent_ns;        /* the last part of the answer was sent */
	struct server_time *between;  /* what the server did since the first part, as far as it is
					 known; NULL: nothing is; borrowed in on_call() */
	uint32_t nested;    /* calls that are known to have been made in the service, ... */
	uint64_t nested_ns; /* ... and for how long at least one of them was open; */
	struct call_callee callee[CALL_CALLEES_MAX]; /* by callee: the largest first */
	uint32_t callee_cnt;
	bool are_nested_apart; /* no two of the nested calls were open at the same time */

	/*
	 * The first call of a connection; else 0. The client began to connect so long before
	 * `sent_ns`, and the connection was open at both ends so long after that, at the latest
	 * with the call.
	 */
	uint64_t connect_ns;
	uint64_t opening_ns;
};

/* The time from the first part of the answer to the last one: the server is still at work. */
static inline uint64_t call_parts_ns(const struct call *call)
{
	return call->last_sent_ns > call->answered_ns ? call->last_sent_ns - call->answered_ns : 0;
}

/*
 * The components of request and response together: they add up to the time of both. What came
 * before the last part of one of them is `dispatch` of that part. False: they are not known.
 */
bool call_components(const struct call *call, uint64_t ns[NR_COMPONENTS]);

/* Receives a call, which is borrowed. 0 or -errno. */
typedef int call_fn(void *ctx, const struct call *call);

/*
 * Orders the names of two processes that serve at one address. 0: they are of one program, as
 * "worker-1" and "worker-2", or "web_a" and "web_b".
 */
int compare_programs(const char *comm, const char *other);

extern const char *const call_match_names[NR_CALL_MATCHES];
