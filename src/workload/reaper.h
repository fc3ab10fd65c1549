/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares functions that reap or end the processes of a workload. */
#pragma once

#include "workload/state.h"

/* Reaps all processes and threads that have ended. Returns how many processes live. */
unsigned int reaper_reap(struct workload *w);

/* Ends clients that can receive nothing more, and a server that does not react to a stop. */
void reaper_press(struct workload *w);

/* Whether no process lives any more. */
bool reaper_is_complete(const struct workload *w);

/* Kills and reaps all processes. */
void reaper_force(struct workload *w);
