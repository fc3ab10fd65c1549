/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * UDP: which socket a channel leads to. A channel is known by addresses; its socket is told of once
 * somebody has taken something there, and is then that of all channels to the same address, unless
 * several have it (SO_REUSEPORT). The oldest are forgotten.
 */
#ifndef IPCTRACE_ANALYSIS_ATTACH_DATAGRAM_ROUTES_H
#define IPCTRACE_ANALYSIS_ATTACH_DATAGRAM_ROUTES_H

#include "bpf/record.h"

#include <stdbool.h>

struct ways;

struct ways *ways__new(void); /* NULL: out of memory */
void ways__free(struct ways *ways);

/* A channel; told again when its receiving socket is known. 0 or -ENOMEM. */
int ways__add(struct ways *ways, const struct record_channel *channel);

/* It leads to a group. */
void ways__to_group(struct ways *ways, uint32_t channel);
bool ways__is_to_group(const struct ways *ways, uint32_t channel);

/* Its socket (cookie); 0: nobody has taken anything there yet, or it may be several. */
uint64_t ways__socket(const struct ways *ways, uint32_t channel);

#endif
