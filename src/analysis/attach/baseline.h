/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Corrects the positions of receives. A position is the number of a message, or its byte offset,
 * in a channel. The BPF programs count sent and received data separately, both from 0. Data that
 * were in the channel before tracing began are called the leftover, or baseline. The position of a
 * receive is therefore higher than the position of its send, by the size of the leftover:
 *
 *	in the channel   | leftover |  send 0  | send 1 |
 *	receives         0         leftover
 *
 * This file holds the receives of a channel until a BASELINE record says how large the leftover
 * is. Then the positions are lowered by this size. A receive that contains only leftover is left
 * out.
 */
#pragma once

#include "bpf/record.h"

#include <stdbool.h>
#include <stddef.h>

/* Receives held for all channels together; further ones are dropped, and their sends stay open. */
#define BASELINES_HELD_MAX (1u << 18)

/*
 * Receives held for one channel. If the other end is on another machine its BASELINE never comes;
 * with several senders it takes 100 ms and more.
 */
#define BASELINES_HELD_OF_ONE_MAX 32768

/* State of one channel; part of struct channel. Zero-initialised: no BASELINE record has come. */
struct baseline {
	bool is_known;
	bool is_unknowable; /* the kernel side cannot find the leftover */
	bool resyncs;       /* its first message is still to come, see baseline_resyncs() */
	uint64_t leftover;
	struct held_receive *held;
	size_t held_cnt, held_room;
	uint64_t dropped_from, dropped_end; /* positions of receives that were not held */
};

/* Gets a receive whose position is that of its send. 0 or -errno. */
typedef int baselines_put_fn(void *ctx, const struct record_receive *receive, size_t change_cnt);

/* State that all channels share. */
struct baselines {
	baselines_put_fn *put;
	void *ctx; /* of `put` */
	size_t held_cnt;
};

/* Both: 0, -ENOMEM, or what `put` returned. */
int baselines_add(struct baselines *baselines, struct baseline *baseline,
		  const struct record_baseline *record);
int baselines_receive(struct baselines *baselines, struct baseline *baseline,
		      const struct record_receive *receive, size_t change_cnt);

/* The channel is forgotten, with the receives that are held for it. */
void baselines_forget(struct baselines *baselines, struct baseline *baseline);

/* Whether the receive of the send with this position was dropped for lack of room. */
bool baseline_dropped(const struct baseline *baseline, uint64_t position);

/* True once: the channel is older than the trace, and this is its first message. */
bool baseline_resyncs(struct baseline *baseline);
