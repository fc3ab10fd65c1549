/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes units, which are latencies with their causes, from messages. A unit is made of a message
 * while the history of its threads is there. It is handed out with the message.
 */
#pragma once

#include "analysis/request.h"
#include "analysis/breakdown/breakdown.h"
#include "analysis/causes/span_causes.h"
#include "analysis/causes/round_units.h"
#include "analysis/causes/unit_stacks.h"
#include "analysis/causes/unit_store.h"
#include "analysis/join/joined.h"
#include "analysis/windows.h"
#include "container/lru_table.h"
#include "model/call.h"

struct analysis;
struct blames;
struct blame_roles;
struct record_connect;
struct record_accept;
struct opened;

/* What is known of a channel. */
struct used_channel {
	uint32_t id; /* channel */
	uint32_t used;
	uint64_t send_ns;  /* of its last message; 0: none yet */
	uint32_t reader;   /* the thread that received from it last; 0: none yet */
	bool has_requests; /* of calls that were answered */
	UT_hash_handle hh;
};

struct units {
	LRU_TABLE(struct used_channel);
	const struct analysis_request *wants; /* borrowed */
	size_t within_near;                   /* see spans_meet() */
	bool has_rounds;               /* a run without them numbers its messages in the same way */
	const struct windows *windows; /* borrowed */
	const struct sleeper_book *sleepers; /* borrowed */
	struct unit_stacks stacks;           /* on the way of each unit to the caller */
	struct cutter cutter;
	uint64_t held_ns;           /* so much history is kept at least */
	struct round_units *rounds; /* NULL: of calls, there are none */
	struct unit_store
		*store;   /* UNIT_CALL: the parts of calls that are not complete; UNIT_CONNECTION of
			   * a run: connections without a message; else NULL */
	struct unit unit; /* of the message that was built last, ... */
	struct cause_list causes;    /* ... and its causes */
	struct cause_list more;      /* working space */
	struct unit_service service; /* of the call that was handed out last */
	uint64_t connections;        /* UNIT_CONNECTION: so many were handed out */

	struct moment wait[UNIT_WAITS_MAX];
	uint32_t wait_cnt; /* of the message that was built last */
};

/* `ctx` is a struct units. Hands out a unit, unless it is outside of a window. As a unit_fn. */
int units_put(void *ctx, const struct unit *unit);

/* As the request of the analysis says. Borrows parts of it. NULL: out of memory. */
struct units *units__new(struct analysis *a);

/* Whether units that are under way in [from_ns, to_ns] need causes. */
bool units__need_causes(struct units *units, uint64_t from_ns, uint64_t to_ns);
void units__free(struct units *units); /* NULL is ignored */

/* What threads have to do with each other, in any order. Without causes, all is ignored. 0 or
 * -ENOMEM. */
int units__sent(struct units *units, const struct record_send *send);
int units__received(struct units *units, const struct record_receive *receive);
int units__woke(struct units *units, const struct record_wakeup *wakeup);
int units__connected(struct units *units, const struct record_connect *connect);
int units__accepted(struct units *units, const struct record_accept *accept);

/* Records of stacks; others are ignored. 0 or -ENOMEM. */
int units__stack(struct units *units, const struct record *record);

/* A message with both ends, when its own unit has been built; in the order of receives. */
int units__joined(struct units *units, const struct joined *joined);

/*
 * All records from before `before_ns` are here, and messages need the history from `horizon_ns` on.
 * Forgets what is too old for units. Returns from when on units need the history.
 */
uint64_t units__trim(struct units *units, uint64_t before_ns, uint64_t horizon_ns);

/*
 * The unit of a message as far as it is known, borrowed until the next one. `blames`: of the
 * message, not sorted yet. NULL: out of memory.
 */
const struct unit *units__build(struct analysis *a, const struct breakdown_input *in,
				const struct message *message, const struct blames *blames);

/* Run: so many messages are sent in a round. As the next one. */
int units__tick(struct units *units, const struct record_tick *tick, uint64_t warmup);

/*
 * Hands out a message with its unit, unless it is outside of a window. `ctx` is the analysis. 0 or
 * what that returned.
 */
int units_hand_out(void *ctx, const struct message *message);

/*
 * The process of a thread at one end of a unit; 0: not known. `name` becomes that of the process,
 * or else of the thread.
 */
uint32_t unit_process(struct analysis *a, const struct party *party, uint64_t at_ns,
		      char name[RECORD_COMM_LEN]);

/* Adds the shares of a wait of the message at hand, as blame_cut_wait() has left them. */
void unit_waits_add(struct analysis *a, const struct blames *blames,
		    const struct blame_roles *roles, uint32_t receiver_tid);

/*
 * All records from before `before_ns` are here: hands out what has become known, unless the caller
 * wants no moments. 0, or what the caller's function returned.
 */
int thread_moments_settle(struct analysis *a, uint64_t before_ns);

/*
 * A connection has been accepted. `ctx` is the analysis, and `breakdown` that of a message from
 * connect() to accept(). Attach: hands out its unit. Run: keeps it. 0, -ENOMEM, or what `on_unit`
 * returned.
 */
int connection_units_opened(void *ctx, const struct opened *opened,
			    const struct breakdown *breakdown);

/* Run: the connection of this message, after the warm-up. 0, or what `on_unit` returned. */
int connection_units_message(struct analysis *a, const struct opened *opened,
			     const struct message *message);

struct analysis;
struct service_path;

/* Keeps the unit of a message, which may be a part of a call. 0 or -ENOMEM. */
int call_units_message(struct analysis *a, const struct message *message);

/*
 * Attach: the call has an answer now. `path`: the threads that worked on it; without parts it is
 * not known. 0 or -ENOMEM.
 */
int call_units_service(struct analysis *a, const struct call *call,
		       const struct service_path *path);

/*
 * Attach: a message is built next. If it is the first one on a connection, its thread has been
 * connecting since `from_ns`, else 0; all that threads did until now is known. 0 or -ENOMEM.
 */
int call_units_connect(struct analysis *a, const struct record_send *send, uint64_t from_ns);

/* Attach: the call is complete. 0, -ENOMEM, or what `on_unit` returned. */
int call_units_call(struct analysis *a, const struct call *call);

/* Run: the same, and thread `server` served it. */
int call_units_stamps(struct analysis *a, const struct record_stamp *request,
		      const struct record_stamp *response, uint32_t server);
