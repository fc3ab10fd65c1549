/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a message of the workload says, and whether it came as it was sent. It begins with this
 * header; the rest is text of a handler or a filling that follows from number and client. A message
 * too small for the header carries the low bytes of its number, and its header goes through shared
 * memory beside it (struct sidecar). A message may stand at any address.
 */
#ifndef IPCTRACE_WORKLOAD_MEMBER_MESSAGE_H
#define IPCTRACE_WORKLOAD_MEMBER_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MESSAGE_MAGIC 0x65676573u /* "sege" */

struct message_header {
	uint32_t magic;
	uint32_t client; /* 1..N: whose link */
	uint32_t size;   /* of the whole message, this header included */
	uint32_t sum;    /* of what follows the header */
	uint64_t number; /* on this way of its link, from 0; push: the round */
	uint64_t stamp_ns;
	uint64_t due_ns; /* as in struct record_stamp */
};

/* Fills in `size` bytes: header, filling, sum. `size` may be less than a header. */
void message_make(void *message, size_t size, const struct message_header *header);

/* Like message_make(), but what follows the header is there already, up to header->size bytes. */
void message_seal(void *message, const struct message_header *header);

/*
 * The number that a message says. One too small to say it in full has the first number from
 * `expected` on that it can mean.
 */
uint64_t message_number(const void *message, size_t size, uint64_t expected);

/*
 * Whether these `size` bytes are message `number` of `client` as it was made. Fills in `header`
 * from the message, unless the message is too small to have one.
 */
bool message_check(const void *message, size_t size, uint32_t client, uint64_t number,
		   struct message_header *header);

#endif
