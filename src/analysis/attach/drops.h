/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts the datagrams that the kernel dropped, by channel and reason, and
 * how often their senders then waited in vain, until their own timeout:
 *
 *	datagram dropped    waits for data       its own timeout
 *	  |                    |------- asleep --------|
 *
 * The sender has received nothing meanwhile. Other datagrams may have been sent in between.
 */
#pragma once

#include "analysis/join/join.h"
#include "bpf/deep.h"
#include "bpf/record.h"
#include "bpf/record_drop.h"
#include "model/drops.h"

/* Channels, and sending threads, that are remembered; then the oldest is forgotten. */
#define DROPS_CHANNELS_MAX 4096
#define DROPS_THREADS_MAX  4096

/* The same for records that wait for their sends. */
#define DROPS_KEPT_MAX 65536

struct drops;

struct drops *drops__new(void); /* NULL: out of memory */
void drops__free(struct drops *drops);

/*
 * A datagram was dropped. Outside of its send call, the record of that comes before or after:
 *
 *	DROP ... SEND        kept, and found when the send comes
 *	SEND ... DROP        the send is pending: join__drop()
 *
 * 0 or -ENOMEM.
 */
int drops__record(struct drops *drops, struct join *join, const struct record_drop *record);

/* Behind join__send(): it may have been dropped already. The same. */
int drops__sent(struct drops *drops, struct join *join, const struct record_send *send);

/* Sleeps and receives of any thread, in any order. */
void drops__timeout(struct drops *drops, const struct record_timeout *record);
void drops__received(struct drops *drops, const struct record_receive *receive);

/* All records of events before this instant have come. */
void drops__settle(struct drops *drops, uint64_t before_ns);

/* Fills it in. */
void drops__finish(struct drops *drops, struct drops_summary *summary);
