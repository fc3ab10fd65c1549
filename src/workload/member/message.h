/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The content of the workload's messages, and the check that a message arrives as it was sent. A
 * message has this header, and then text of a handler or a filling that follows from number and
 * client. A message too small for a header carries the low bytes of its number, and its header goes
 * through shared memory (struct sidecar). A message may lie at any address.
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
