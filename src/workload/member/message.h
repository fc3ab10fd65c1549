/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines the messages of the workload, which the receiver can check. A message has a header and a
 * body. The body is a handler's text, or bytes that depend on the client and on the message
 * number. Only parts of a large body are filled and checked. A message that is too small for a
 * header begins with the low bytes of its number. The header then goes through shared memory
 * (struct sidecar).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MESSAGE_MAGIC 0x65676573u /* "sege" */

struct message_header {
	uint32_t magic;
	uint32_t client; /* the client of its link, from 1 */
	uint32_t size;   /* bytes of the whole message, header included */
	uint32_t sum;    /* of the bytes behind the header */
	uint64_t number; /* in this direction of its link, from 0; push: the round */
	uint64_t stamp_ns;
	uint64_t due_ns; /* as in struct record_stamp */
};

/* Writes `size` bytes: header, filling, checksum. `size` may be less than a header. */
void message_make(void *message, size_t size, const struct message_header *header);

/* Like message_make(), but the bytes behind the header are already there, up to header->size. */
void message_seal(void *message, const struct message_header *header);

/*
 * The number of a message. If the message is too small for all of it, the first number from
 * `expected` on that fits.
 */
uint64_t message_number(const void *message, size_t size, uint64_t expected);

/*
 * Whether these `size` bytes are message `number` of `client` as it was made. Fills in `header`
 * from the message, unless the message is too small to have one.
 */
bool message_check(const void *message, size_t size, uint32_t client, uint64_t number,
		   struct message_header *header);

/* Messages on their way before a header is overwritten, at least and at most. */
#define SIDECAR_MIN 4096u
#define SIDECAR_MAX 65536u

/*
 * Carries the headers of messages that are too small for a header: a ring in shared memory, with
 * one writer and one reader. Each direction of a link (the connection of the server and one client)
 * has a sidecar. The writer never waits, and overwrites old headers.
 */
struct sidecar {
	struct message_header *headers;
	uint64_t capacity; /* a power of two; 0: no headers are kept */
};

/* Called before the message is sent. */
void sidecar_put(struct sidecar *sidecar, const struct message_header *header);

/* Called after the message is received. False: its header is overwritten or was never written. */
bool sidecar_get(const struct sidecar *sidecar, uint64_t number, struct message_header *header);
