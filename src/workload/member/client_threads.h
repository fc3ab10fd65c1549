/* SPDX-License-Identifier: BSD-2-Clause */
/* All clients of a workload as threads of one process. */
#ifndef IPCTRACE_WORKLOAD_MEMBER_CLIENT_THREADS_H
#define IPCTRACE_WORKLOAD_MEMBER_CLIENT_THREADS_H

#include "workload/member/worker.h"

/* Runs the process after fork; `worker` is the first client's. Returns the exit status. */
int client_threads_run(const struct worker *worker);

#endif
