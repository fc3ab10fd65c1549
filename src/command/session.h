/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One traced session: the only place that knows the order of its steps. run_once.c (a workload) and
 * attach.c (programs that run already) are its two kinds, and supply hooks.
 *
 *	open            tracer, head of recording and report, analysis
 *	start           lets go what is traced
 *	goes_on         again and again, each time with a drain: records from the tracer and from
 *	                before_drain() into recording and analysis
 *	stop, finish    the last drain, the records that end a run
 *	session_report()
 */
#ifndef IPCTRACE_COMMAND_SESSION_H
#define IPCTRACE_COMMAND_SESSION_H

#include "command/collector.h"

#include <stdbool.h>
#include <stdint.h>

/* The largest ring buffer, for senders without a pause. A drain may wait long for a CPU. */
#define SESSION_RING_SIZE_MAX (64u << 20)

struct output;
struct session;

/* Each returns 0 or -errno (logged), but for goes_on(). */
struct session_ops {
	/* Opens collector.tracer, if anything is to be traced. */
	int (*open)(struct session *session);

	/* The session can receive records: starts what is traced. */
	int (*start)(struct session *session);

	/* Sleeps until the next drain, for `interval_ns` at most. False, at once: tracing ends. */
	bool (*goes_on)(struct session *session, uint64_t interval_ns);

	/* A drain has begun: emits the records that are not in the ring buffer. */
	int (*before_drain)(struct session *session);

	/* Tracing ends; the tracer is still attached. */
	int (*stop)(struct session *session);

	/* All is drained: puts the records that end the run, and fills in the rest of `end`. */
	int (*finish)(struct session *session, struct record_end *end);
};

/* The first member of each kind's own struct. Pointers are borrowed. */
struct session {
	const struct session_ops *ops;
	struct run_info *info; /* shows_switch is filled in */
	struct output *output; /* NULL: nothing is shown or recorded */
	uint64_t drain_interval_ns;
	struct collector collector; /* its tracer and analysis are owned */
};

/*
 * All steps up to the finished analysis. 0 or -errno, logged. The tracer and the analysis stay
 * until session_close().
 */
int session_run(struct session *session);

/* Shows the result of a session that has run. 0 or -errno, logged. */
int session_report(struct session *session);

void session_close(struct session *session);

#endif
