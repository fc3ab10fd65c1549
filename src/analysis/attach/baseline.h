/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attach: positions of receives, made to agree with those of sends. A channel that was there before
 * us may have had something in it; until its START record says how much, its receives are held:
 *
 *	in the channel   | leftover |  send 0  | send 1 |
 *	receives         0         leftover
 *
 * What takes only of the leftover belongs to sends that nobody saw, and is left out.
 */
#ifndef IPCTRACE_ANALYSIS_ATTACH_BASELINE_H
#define IPCTRACE_ANALYSIS_ATTACH_BASELINE_H

#include "bpf/record.h"

#include <stdbool.h>
#include <stddef.h>

/* Of all channels together; further receives are dropped, and their sends remain open. */
#define BASELINES_HELD_MAX (1u << 18)

/*
 * Of one channel: the other end of an Internet connection may never tell its part. Where several
 * send, it takes 100 ms and more.
 */
#define BASELINES_HELD_OF_ONE_MAX 32768

/* Channels that are remembered; then those are forgotten first that were quiet longest. */
#define BASELINES_CHANNELS_MAX (1u << 18)

struct baselines;

/* Takes a receive whose position is that of its send. 0 or -errno. */
typedef int baselines_put_fn(void *ctx, const struct record_receive *receive, size_t change_cnt);

struct baselines *baselines__new(baselines_put_fn *put, void *ctx); /* NULL: out of memory */
void baselines__free(struct baselines *starts);

/* Both: 0, -ENOMEM, or what `put` returned. */
int baselines__add(struct baselines *starts, const struct record_baseline *start);
int baselines__receive(struct baselines *starts, const struct record_receive *receive,
		       size_t change_cnt);

/* Whether positions of its receives are known. */
bool baselines__known(const struct baselines *starts, uint32_t channel);

/* Whether the receive of this send, by its position, came before these were, and found no room. */
bool baselines__lost(const struct baselines *starts, uint32_t channel, uint64_t position);

/* True for one call: the channel was there before us, and this is its first message that is known.
 */
bool baselines__resyncs(struct baselines *starts, uint32_t channel);

#endif
