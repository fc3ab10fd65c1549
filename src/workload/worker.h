/* SPDX-License-Identifier: BSD-2-Clause */
/* What one process of a workload knows, and how it says what went wrong. */
#ifndef IPCTRACE_WORKLOAD_WORKER_H
#define IPCTRACE_WORKLOAD_WORKER_H

#include "bpf/record.h"
#include "transport/transport.h"
#include "workload/plan.h"
#include "workload/shared.h"

#include <sys/types.h>

struct worker {
	const struct plan *plan;
	const char *directory;
	struct shared *shared;
	unsigned int process; /* 0: the server; else the client's number */
	pid_t parent;
};

/* "ipctrace-server", "ipctrace-cl-7", also in ROLE records. */
void worker_name(unsigned int process, char name[RECORD_COMM_LEN]);

/* "server", "client-7": the plain file name of a process's endpoint. */
#define ENDPOINT_NAME_LEN 24
void worker_endpoint_name(unsigned int process, char name[ENDPOINT_NAME_LEN]);

/*
 * What failed: which thing: why (`err`, negative errno): what to do. The driver logs the first of
 * all these. Returns the exit status for a body to return.
 */
int worker_fail(const struct worker *worker, const char *what, const char *thing, int err,
		const char *remedy);

/* open() and find() of the transport. NULL: failed, and said so. */
struct endpoint *worker_open(const struct worker *worker, const char *name);
struct peer *worker_find(const struct worker *worker, struct endpoint *from, const char *name);

/*
 * The life of a process from fork to _exit: set-up as root, privileges dropped, ready, gate, the
 * body of the pattern. One thread until the gate is open, so that the caller can mark it for
 * tracing.
 */
_Noreturn void worker_run(const struct worker *worker);

#endif
