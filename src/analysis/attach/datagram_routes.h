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

struct datagram_routes;

struct datagram_routes *datagram_routes__new(void); /* NULL: out of memory */
void datagram_routes__free(struct datagram_routes *ways);

/* A channel; told again when its receiving socket is known. 0 or -ENOMEM. */
int datagram_routes__add(struct datagram_routes *ways, const struct record_channel *channel);

/* It leads to a group. */
void datagram_routes__to_group(struct datagram_routes *ways, uint32_t channel);
bool datagram_routes__is_to_group(const struct datagram_routes *ways, uint32_t channel);

/* Its socket (cookie); 0: nobody has taken anything there yet, or it may be several. */
uint64_t datagram_routes__socket(const struct datagram_routes *ways, uint32_t channel);

#endif
