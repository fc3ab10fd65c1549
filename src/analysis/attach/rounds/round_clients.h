/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Assigns numbers to the clients of rounds. A round is a series of messages from one thread to
 * several channels. The threads that receive from these channels are the clients. A client keeps
 * its number, also on a new channel, so the table never forgets a client.
 */
#pragma once

#include "model/summary.h"

/* The last client stands for all channels that come when no other number is left. */
#define ROUND_CLIENTS_MAX 256
/* Channels that are remembered. */
#define ROUND_CHANNELS_MAX 65536
_Static_assert(ROUND_CLIENTS_MAX <= SUMMARY_CLIENTS_MAX, "clients");

struct round_clients;

struct round_clients *round_clients__new(void); /* NULL: out of memory */
void round_clients__free(struct round_clients *clients);

/* All [ROUND_CLIENTS_MAX], by number - 1; until round_clients__finish(). */
struct client_summary *round_clients__clients(struct round_clients *clients);

/* The client of a channel, which `receiver` reads. NULL: out of memory. */
struct client_summary *round_clients__find(struct round_clients *clients, uint32_t channel,
					   const struct party *receiver);

/* The number of a channel; 0: it has none. Valid to the end. */
uint32_t round_clients__number(const struct round_clients *clients, uint32_t channel);

/* `summary` takes over the clients. */
void round_clients__finish(struct round_clients *clients, struct summary *summary);
