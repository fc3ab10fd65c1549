/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the function that runs all clients of a workload as threads of one process. */
#pragma once

#include "workload/member/worker.h"

/* Runs the process after fork; `worker` is the first client's. Returns the exit status. */
int client_threads_run(const struct worker *worker);
