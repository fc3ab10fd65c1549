/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attach: who took which datagram of UDP. The kernel does not tell which datagram a receive takes,
 * so a look into the queue before it does; of one that comes after the look, it is found out here.
 *
 *	reader   looks: empty    takes one    looks again
 *	           |---------------|------------|
 *	sender       |-- send --|          queued in between, and taken by no other receive
 *
 * A send that has left the queue, and which of all receives only one can have taken, was taken by
 * that one. Where several threads read one socket at the same time, who took which is not certain:
 * each gets one that it may have taken, also one that another is said to have taken who may have
 * taken something behind it.
 */
#ifndef IPCTRACE_ANALYSIS_ATTACH_DATAGRAMS_H
#define IPCTRACE_ANALYSIS_ATTACH_DATAGRAMS_H

#include "analysis/attach/baseline.h"
#include "analysis/join/join.h"

/* Receives of one socket of which it is not known yet what they took; the oldest is given up. */
#define DATAGRAMS_UNSEEN_MAX 1024

/* Receives of one socket between two settlings; what comes beyond them is ambiguous. */
#define DATAGRAMS_TAKES_MAX 65536

/* Sockets that are remembered; then the oldest is forgotten. */
#define DATAGRAMS_SOCKETS_MAX (1u << 16)

struct datagrams;

/* Takes a receive of which it will never be known what it took. */
typedef void datagrams_unknown_fn(void *ctx, const struct record_receive *receive);

/*
 * `join` is borrowed; receives that have been found out go to `put`, those that are given up to
 * `unknown`. NULL: out of memory.
 */
struct datagrams *datagrams__new(struct join *join, baselines_put_fn *put,
				 datagrams_unknown_fn *unknown, void *ctx);
void datagrams__free(struct datagrams *datagrams);

/* What a channel carries goes to a group: who has taken it, only he knows who saw it. */
void datagrams__group(struct datagrams *datagrams, uint32_t channel);

/* A channel of UDP; told again when its receiving socket is known. 0 or -ENOMEM. */
int datagrams__channel(struct datagrams *datagrams, const struct record_channel *channel);

/*
 * A receive whose channel is known, or one (CHANNEL_UNKNOWN) of which nobody saw what it took.
 * `awake_ns`: since then its thread has not slept. 0 or -ENOMEM.
 */
int datagrams__taken(struct datagrams *datagrams, const struct record_receive *receive,
		     uint64_t awake_ns);
int datagrams__unseen(struct datagrams *datagrams, const struct record_receive *receive,
		      size_t change_cnt, uint64_t awake_ns);

/* Of receives before this instant it is known who was at it at the same time; as below. */
uint64_t datagrams__known_ns(const struct datagrams *datagrams, uint64_t before_ns);

/* A message has been joined for certain: what was queued before it was sent is in no queue. */
void datagrams__joined(struct datagrams *datagrams, uint32_t channel, uint64_t send_ns);

/*
 * Finds out what it can; all that happened before `before_ns` has been told of. `is_last`: nobody
 * will ask again. 0, -ENOMEM, or what `put` returned.
 */
int datagrams__settle(struct datagrams *datagrams, uint64_t before_ns, bool is_last);

#endif
