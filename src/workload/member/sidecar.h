/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines a sidecar, which carries the headers of messages that are too small for a header. A
 * sidecar is a ring in shared memory, and has one writer and one reader. Each direction of a link
 * (the connection of the server and one client) has a sidecar. The writer never waits, and
 * overwrites old headers.
 */
#pragma once

#include "workload/member/message.h"

#include <stdint.h>

/* Messages on their way before a header is overwritten, at least and at most. */
#define SIDECAR_MIN 4096u
#define SIDECAR_MAX 65536u

struct sidecar {
	struct message_header *headers;
	uint64_t capacity; /* a power of two; 0: no headers are kept */
};

/* Called before the message is sent. */
void sidecar_put(struct sidecar *sidecar, const struct message_header *header);

/* Called after the message is received. False: its header is overwritten or was never written. */
bool sidecar_get(const struct sidecar *sidecar, uint64_t number, struct message_header *header);
