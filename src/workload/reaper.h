/* SPDX-License-Identifier: BSD-2-Clause */
/* How processes of a workload end, and what is to be said of it. */
#ifndef IPCTRACE_WORKLOAD_REAPER_H
#define IPCTRACE_WORKLOAD_REAPER_H

#include "workload/state.h"

/* Takes note of all that have ended. Processes that live. */
unsigned int reaper_reap(struct workload *w);

/* Ends clients for which nothing more will come, and a server that does not see a stop. */
void reaper_press(struct workload *w);

/* Whether nothing of it lives any more. */
bool reaper_is_complete(const struct workload *w);

/* Kills and reaps everything. */
void reaper_force(struct workload *w);

#endif
