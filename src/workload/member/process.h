/* SPDX-License-Identifier: BSD-2-Clause */
/* A process of a workload from fork to exit. */
#ifndef IPCTRACE_WORKLOAD_MEMBER_PROCESS_H
#define IPCTRACE_WORKLOAD_MEMBER_PROCESS_H

#include "workload/member/worker.h"

/*
 * The life of a process from fork to _exit: set-up as root, privileges dropped, ready, gate, and
 * then the server, the client, or (plan.spec.threads) all clients at once. One thread until the
 * gate is open, so that the caller can mark it for tracing.
 */
_Noreturn void process_run(const struct worker *worker);

#endif
