/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which ends exist, for transports whose objects are all there from create() on. serve() and join()
 * enter their end, and admit() waits for it. In memory that the processes share.
 */
#ifndef IPCTRACE_TRANSPORT_ROLL_H
#define IPCTRACE_TRANSPORT_ROLL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct roll {
	uint32_t clients;
	_Atomic uint32_t here[]; /* futex: 1 once the end exists; the server, then the clients */
};

/* NULL and errno on failure. */
struct roll *roll_new(uint32_t clients);
void roll_free(struct roll *roll); /* NULL allowed */

/* Enters the end of `seat`, which is LINK_SERVER or a client's number. */
void roll_enter(struct roll *roll, uint32_t seat);
bool roll_has(const struct roll *roll, uint32_t seat);

/* Waits until the end exists. 0 or -ETIMEDOUT. */
int roll_await(struct roll *roll, uint32_t seat);

#endif
