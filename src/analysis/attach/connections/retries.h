/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Adds up for how long threads wait until they try again, after a connect() that failed. A thread
 * that fails only, as a monitor does, waits for nothing that is known.
 */
#pragma once

#include "bpf/record_connections.h"
#include "model/summary.h"

struct retries;

struct retries *retries__new(void); /* NULL: out of memory */
void retries__free(struct retries *retries);

/* Calls come in the order of their ends for each thread. Adds to `sum`. 0 or -ENOMEM. */
int retries__connect(struct retries *retries, const struct record_connect *connect,
		     struct connections_summary *sum);
