/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines a session, which traces a set of processes once and analyses the records. session.c
 * calls the hooks of a session in this order:
 *
 *	open            opens the tracer
 *	start           starts the workload or the command
 *	goes_on         repeatedly: sleeps until the next drain
 *	before_drain    at the start of each drain: adds further records
 *	after_drain     at its end
 *	stop            tracing ends; the tracer is still attached
 *	finish          after the last drain: adds final records
 *
 * A drain passes records to the recording and the analysis. run_once.c and attach.c define the
 * hooks.
 */
#pragma once

#include "analysis/analysis.h"
#include "command/live/proc/groups.h"
#include "command/live/proc/scripts.h"
#include "command/live/proc/steal.h"
#include "command/live/yield/slices.h"
#include "command/live/yield.h"
#include "command/watch/watch.h"
#include "recording/recording.h"
#include "stacks/lock_names.h"
#include "stacks/stack_log.h"
#include "tracer/tracer.h"

#include <stdbool.h>
#include <stdint.h>

struct output;
struct session;
struct trace_options;

/*
 * Passes records to the analysis and the recording. If only windows are recorded, the watch gets
 * the records instead of the recording.
 */
struct collector {
	/* These eight are set by the owner; the last four are borrowed. */
	struct tracer *tracer; /* NULL: nothing is traced */
	struct analysis *analysis;
	struct scripts *scripts;            /* NULL: not searched for */
	struct groups *groups;              /* the same */
	struct stack_log *stacks;           /* NULL: none are taken */
	struct lock_names *locks;           /* NULL: no waits for locks are recorded */
	struct recording_writer *recording; /* gets all records; NULL: none */
	struct watch *watch; /* writes windows of records instead of all; NULL: none */

	bool recording_failed;
	uint64_t drained_ns; /* when the last drain began that was not held up */
	uint64_t began_ns;   /* when the current drain began */
	uint64_t settled_ns; /* during a drain: events before this have arrived by its end */
	uint64_t pause_ns; /* until the next drain, by the records in the last ones; 0: none yet */
	uint64_t records;  /* in the current drain */
};

/* Passes one on. `ctx` is a struct collector. 0 or -errno. */
int collector_put(void *ctx, const struct record *record);

/* Hooks return 0 or -errno (logged), except goes_on(). */
struct session_ops {
	/* Opens collector.tracer, unless the session is untraced. */
	int (*open)(struct session *session);

	/* The collector can receive records now. */
	int (*start)(struct session *session);

	/*
	 * Sleeps until the next drain, at most `interval_ns`. False, without a sleep: tracing ends.
	 */
	bool (*goes_on)(struct session *session, uint64_t interval_ns);

	/* A drain has begun: emits records that do not come from the tracer. */
	int (*before_drain)(struct session *session);

	/* The drain is complete. Optional. */
	void (*after_drain)(struct session *session);

	/* Tracing ends. The tracer is still attached. */
	int (*stop)(struct session *session);

	/* The last drain is done: emits the records that end the run, and completes `end`. */
	int (*finish)(struct session *session, struct record_end *end);
};

/* The first member of each kind's own struct. Pointers are borrowed. */
struct session {
	const struct session_ops *ops;
	struct run_info *info; /* shows_switch is filled in */
	struct output *output; /* NULL: nothing is shown or recorded */
	uint64_t drain_interval_ns;
	const struct trace_options *trace;
	uint64_t
		/* stacks of so long times are taken; 0: none. Of `trace` at first */
		stacks_over_ns;
	bool is_alone;        /* nothing that is measured is in the control group or session of this
				 process */
	uint64_t patience_ns; /* a drain may be so late for lack of a CPU */
	struct yield *yield;  /* owned by session_run() and session_close(); may be NULL */
	struct slices slices; /* a kind that wants some sets is_alone and its ctx */
	uint64_t began_ns;    /* of session_run() */
	bool has_windows;     /* the recording does not have all records */
	struct watch *watch;  /* the same; NULL: no condition is given */
	struct steal *steal;  /* when tracing began; NULL: not known */
	uint64_t start_ns;    /* from then until sends were counted */
	struct collector collector; /* owns its tracer and its analysis */
};

/*
 * Makes all steps up to the finished analysis. 0 or -errno (logged). session_close() frees
 * what is left.
 */
int session_run(struct session *session);

/* Whether a condition has ended tracing. For the hook goes_on(). */
enum watch_end session_end(const struct session *session);

/* What has ended tracing. NULL: no message. Valid until session_close(). */
const struct occasion *session_stopped_by(const struct session *session);

/* The pause between drains: shorter than `longest_ns` if a condition ends tracing. */
uint64_t session_drain_ns(const struct trace_options *trace, uint64_t longest_ns);

/* Shows the result of a session that has run. 0 or -errno (logged). */
int session_report(struct session *session);

void session_close(struct session *session);
