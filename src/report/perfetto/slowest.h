/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws the slowest messages on tracks of their own, by their rank. */
#pragma once

#include "model/message.h"
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

/* After the last message. */
void slowest_put(const struct slowest *slowest, struct scene *scene);
