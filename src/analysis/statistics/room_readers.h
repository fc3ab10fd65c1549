/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Adds up, for each receiving thread, how long messages waited for room, and what the thread did
 * meanwhile. The receiver makes room by receiving, so these waits are blamed on it.
 */
#pragma once

#include "analysis/breakdown/breakdown.h"
#include "analysis/history/names.h"
#include "model/summary.h"

struct room_readers;

/* `names`, borrowed, has the process of a thread. NULL: out of memory. */
struct room_readers *room_readers__new(struct names *names);
void room_readers__free(struct room_readers *readers);

/*
 * Adds the waits for room of one message, whose receiver has the time line `line`. 0 or -ENOMEM.
 */
int room_readers__add(struct room_readers *readers, const struct breakdown *breakdown,
		      const struct party *receiver, const struct timeline *line);

/* Fills in `room` and `room_cnt` of the summary. 0 or -ENOMEM. */
int room_readers__finish(const struct room_readers *readers, struct summary *summary);
