/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines the state of an analysis. A run traces ipctrace's own workload, and an attach traces
 * other programs. struct analysis has the state that runs and attaches share. struct mode_ops has
 * the functions that differ between runs and attaches.
 */
#pragma once

#include "analysis/history/channels.h"
#include "analysis/history/history.h"
#include "analysis/history/names.h"
#include "analysis/history/roles.h"
#include "analysis/join/join.h"
#include "analysis/statistics/aggregate.h"
#include "analysis/statistics/room_readers.h"
#include "analysis/statistics/service.h"
#include "analysis/request.h"
#include "analysis/windows.h"
#include "model/kept_summary.h"
#include "model/summary.h"

struct mode_ops;
struct message_builder;
struct run_messages;
struct attach_state;
struct failing;
struct sleeper_book;
struct loop_times;
struct script_book;
struct units;

/* What stays when a window begins. */
struct lasting {
	const struct mode_ops *mode;
	struct analysis_request wants;
	bool has_end;              /* the END record has come */
	struct kept_summary *kept; /* a recording of windows has the statistics of all messages */
	struct stack_names *stack_names; /* NULL: no record of them has come */
	struct windows windows;
	uint64_t left_out[NR_RECORD_TYPES]; /* records that nothing is made of */
};

/* All but the first member is of the window that the analysis is in, or of all of tracing. */
struct analysis {
	struct lasting lasting;
	struct summary summary; /* with the run_info */
	int error;              /* the first one in a callback of the join */

	struct join *join;
	struct channels *channels;
	struct history history;
	struct names *names;
	struct roles *roles;
	struct aggregate *aggregate;
	struct service_blame *service_blame;
	struct room_readers *room_readers;
	struct failing *failing;
	struct sleeper_book *sleepers;
	struct message_builder *builder;
	uint64_t refused_sends; /* SEND records for which there was no room */
	uint64_t horizon_ns;    /* pending messages and calls began at or after it */
	struct units *units;    /* NULL: the caller wants no units */

	/* Each belongs to one mode, and is NULL in the other one. */
	struct run_messages *run;
	struct attach_state *attach;
	struct script_book *scripts; /* of an attach, as the next ones */
	struct loop_times *loops;
	struct drops *drops;
};

/* What a run and an attach do differently. All return 0 or -errno unless it says otherwise. */
struct mode_ops {
	/* Allocates what only this mode needs; false: out of memory. free() follows in any case. */
	bool (*begin)(struct analysis *a);
	void (*free)(struct analysis *a);

	/* What a thread has to do with the target; NULL: there is none. `ctx`: the analysis. */
	blame_relation_fn *relation;

	/* The process of a thread; 0: not known. */
	uint32_t (*pid)(struct analysis *a, uint32_t tid, uint64_t at_ns);

	/* Handles the records of this mode; others: RECORD_IS_NOT_MINE. The shared state is up to
	   date. */
	int (*record)(struct analysis *a, const struct record *record);

	/* Puts one end of a message into the join, or counts it if it cannot be joined. */
	int (*send)(struct analysis *a, const struct record_send *send);
	int (*receive)(struct analysis *a, const struct record_receive *receive, size_t change_cnt);

	/*
	 * Adds a message, which the aggregate has counted, to the statistics of this mode. Hands it
	 * out, at once or later.
	 */
	int (*message)(struct analysis *a, const struct message *message);

	/* All records from before `before_ns` are here: emits the messages that are complete. */
	int (*settle)(struct analysis *a, uint64_t before_ns);

	/*
	 * A window ends: hands out the messages that wait for something else than records. NULL:
	 * none does.
	 */
	int (*flush)(struct analysis *a);

	/* After the last settle(): hands out the rest, counts what is still open and completes the
	   summary. */
	int (*finish)(struct analysis *a);
};

/*
 * A run: which client each message belongs to is known, and a stamp that the workload took itself.
 */
extern const struct mode_ops run_mode;

/*
 * An attach: the programs are not ipctrace's own. Every message is joined; only the messages of a
 * target, and of the peer that the user asked for, are reported.
 */
extern const struct mode_ops attach_mode;
