/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws the slowest messages on tracks of their own, by their rank. */
#pragma once

#include "model/message.h"
#include "model/spans.h"
#include "report/perfetto/scene.h"

#define SLOWEST_MAX 20

/* Zero-initialised is empty; slowest_free() follows. */
struct slowest {
	struct message *message[SLOWEST_MAX]; /* copies, the slowest one first */
	uint32_t cnt;
};

void slowest_free(struct slowest *slowest);

/* Keeps a copy if the message is one of the slowest so far. False: out of memory. */
bool slowest_add(struct slowest *slowest, const struct message *message);

/* The one of this time; NULL: none of them has it, or `slowest` is NULL. */
const struct message *slowest_find(const struct slowest *slowest, uint64_t from_ns, uint64_t to_ns);

/* The slowest one on the root track. Its time; empty: there is none. */
struct span slowest_put_first(const struct slowest *slowest, struct scene *scene);

/*
 * After the last message: as many as there is room for, the slowest first. `widest`: what one of
 * them takes at most; `max_bytes`: where the file has to end; 0: there is no limit.
 */
void slowest_put(const struct slowest *slowest, struct scene *scene, uint64_t widest,
		 uint64_t max_bytes);
