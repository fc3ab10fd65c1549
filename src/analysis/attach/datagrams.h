/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the datagram that each read of a UDP socket has received. Before a read, the BPF programs
 * note the first datagram in the queue of the socket. If the queue is empty, or if another thread
 * receives the noted datagram, the read is called "unseen". The analysis then searches for a
 * datagram that the unseen read may have received:
 *
 *	reader   looks: empty  receives one   looks again
 *	           |---------------|------------|
 *	sender       |-- send --|          sent in between, and received by no other read
 *
 * If a datagram fits only one read, the datagram belongs to this read. If several threads read the
 * socket, the datagram of an unseen read is never certain. Each unseen read then gets a datagram
 * that fits, and the message counts as ambiguous.
 */
#pragma once

#include "analysis/attach/channel_table.h"
#include "analysis/join/join.h"

/* Sockets that are remembered; then the oldest is forgotten. */
#define DATAGRAMS_SOCKETS_MAX (1u << 16)

struct datagrams;

/* Gets a receive whose datagram will never be known. */
typedef void datagrams_unknown_fn(void *ctx, const struct record_receive *receive);

/*
 * `channels` and `join` are borrowed. Receives whose datagram was found go to `put`, those that are
 * given up to `unknown`. NULL: out of memory.
 */
struct datagrams *datagrams__new(struct channel_table *channels, struct join *join,
				 baselines_put_fn *put, void *put_ctx,
				 datagrams_unknown_fn *unknown, void *unknown_ctx);
void datagrams__free(struct datagrams *datagrams);

/* A UDP channel is recorded, and again when its receiving socket is known. 0 or -ENOMEM. */
int datagrams__channel(struct datagrams *datagrams, struct channel *channel,
		       const struct record_channel *record);

/*
 * A receive whose datagram was seen, and one (CHANNEL_UNKNOWN) whose was not. `awake_ns`: the
 * thread has not slept since. 0 or -ENOMEM.
 */
int datagrams__received(struct datagrams *datagrams, const struct channel *channel,
			const struct record_receive *receive, uint64_t awake_ns);
int datagrams__unseen(struct datagrams *datagrams, const struct record_receive *receive,
		      size_t change_cnt, uint64_t awake_ns);

/* Receives before this instant are not moved to another datagram any more; as below. */
uint64_t datagrams__known_ns(const struct datagrams *datagrams, uint64_t before_ns);

/* A message has been joined for certain: what was queued before its send has left the queue. */
void datagrams__joined(struct datagrams *datagrams, const struct channel *channel,
		       uint64_t send_ns);

/*
 * Finds the datagrams that can be found. All events before `before_ns` have been recorded;
 * `is_last`: the last call. 0, -ENOMEM, or what `put` returned.
 */
int datagrams__settle(struct datagrams *datagrams, uint64_t before_ns, bool is_last);
