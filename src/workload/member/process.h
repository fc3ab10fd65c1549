/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the function that a process of a workload runs, from fork to exit. */
#pragma once

#include "workload/member/worker.h"

/*
 * Runs a process from fork to _exit: it is set up as root, drops privileges, reports that it is
 * ready, waits at the gate, and runs the server, a client, or (plan.spec.threads) all clients. It
 * has one thread until the gate opens, so that the caller can mark it for tracing.
 */
_Noreturn void process_run(const struct worker *worker);
