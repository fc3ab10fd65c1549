/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the tests of the transports whose messages lie in memory or in a queue share: shm, eventfd,
 * signals, mqueue and sysv.
 */
#pragma once

#include "support/ends.h"

#define QUEUES_CNT 6
extern const struct transport_ops *const queues[QUEUES_CNT];

/* Messages of each client. The server answers each. */
#define EXCHANGES 300

/* Every byte is made and checked one by one, so fewer messages of this size are sent. */
#define LARGE     65536

#define NR(array) (sizeof(array) / sizeof((array)[0]))

/* How many messages each client sends. */
int queues_exchanges(const struct ends_spec *spec);

/* Waits for a message and returns its sender. Clients may have closed their ends meanwhile. */
uint32_t queues_message_await(struct ends_side *side);

void queues_echo_server(struct ends_side *side);

void queues_echo_client(struct ends_side *side);

void queues_assert_direction(const struct ends_outcome *outcome, uint32_t from, uint32_t to,
			     uint64_t messages);

/* All sizes that the transport lets through, one client and several, processes and threads. */
void queues_check_all(const struct transport_ops *ops, enum reader reader, bool oneway,
		      void (*check)(const struct ends_spec *spec));

struct medium *queues_medium_make(const struct transport_ops *ops);
