/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the tests of the transports that are made of descriptors share: exchanges that are counted,
 * and lists of transports for cmocka.
 */
#pragma once

#include "support/ends.h"

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

/* Messages of each client. The server answers each. */
#define ROUNDS 40

bool is_udp(const struct transport_ops *ops);

/* Answers all messages. Clients may leave meanwhile. */
void echo_server(struct ends_side *side);

void echo_client(struct ends_side *side);

void echo(const struct ends_spec *spec);

void receive_all(struct ends_side *side, uint64_t count);

/* Descriptors of this process; with `inherited` only those that a program would inherit. */
int descriptors(bool inherited);

#define ON(test, transport)                                                                        \
	{                                                                                          \
#test ", " #transport, test, NULL, NULL, (void *)&transport##_transport            \
	}
#define PIPES(test)    ON(test, pipe), ON(test, fifo)
#define TCPS(test)     ON(test, tcp), ON(test, tcp6)
#define UDPS(test)     ON(test, udp), ON(test, udp6)
#define UNIXES(test)   ON(test, uds_stream), ON(test, uds_seqpacket)
#define STREAMS(test)  ON(test, uds_stream), TCPS(test), PIPES(test)
#define RELIABLE(test) UNIXES(test), TCPS(test), PIPES(test)
#define ALL(test)      RELIABLE(test), UDPS(test)
