/* SPDX-License-Identifier: BSD-2-Clause */
/* Attach: the channels that take part in rounds, which are their clients. */
#ifndef IPCTRACE_ANALYSIS_ATTACH_ROUND_CLIENTS_H
#define IPCTRACE_ANALYSIS_ATTACH_ROUND_CLIENTS_H

#include "model/summary.h"

/* The last one is all those together that come when no other number is left. */
#define LISTENERS_MAX 256

struct listeners;

struct listeners *listeners__new(void); /* NULL: out of memory */
void listeners__free(struct listeners *listeners);

/* All [LISTENERS_MAX], by number - 1; until listeners__finish(). */
struct client_summary *listeners__clients(struct listeners *listeners);

/* That of a channel, which `receiver` reads. NULL: out of memory. */
struct client_summary *listeners__find(struct listeners *listeners, uint32_t channel,
				       const struct party *receiver);

/* `summary` takes over the clients. */
void listeners__finish(struct listeners *listeners, struct summary *summary);

#endif
