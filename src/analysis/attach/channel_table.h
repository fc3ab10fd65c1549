/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds the state of each channel, which is one direction of a socket, pipe or queue. struct
 * channel combines what channel_usage.c, baseline.c, datagram_routes.c and call_matcher.c know
 * about a channel. When the table is full, the least recently used channel is forgotten, but for
 * whether a target has used it.
 *
 * Five files have their own tables of channels, for two reasons. join/stream.c and
 * history/channels.c are also used in runs of the project's own workload. Runs do not have this
 * table. overlap.c, channel_book.c and round_clients.c forget channels at other times, or never.
 */
#pragma once

#include "analysis/attach/baseline.h"
#include "analysis/attach/calls/call_matcher.h"
#include "analysis/attach/channel_usage.h"

#include <uthash.h>

/* Where the datagrams of a UDP channel, a pair of addresses, lead to. */
struct datagram_route {
	uint64_t to;     /* the receiving address; 0: not known */
	uint64_t socket; /* cookie of the receiving socket; 0: not known */
};

struct channel {
	uint32_t id;
	uint32_t used; /* see lru_table.h */
	struct channel_usage usage;
	struct baseline baseline;
	struct datagram_route route;     /* UDP only */
	struct call_direction direction; /* as one half of a connection */
	UT_hash_handle hh;
};

struct channel_table;

/* All are borrowed. NULL: out of memory. */
struct channel_table *channel_table__new(const struct threads *threads, const struct join *join,
					 struct baselines *baselines);
void channel_table__free(struct channel_table *channels); /* before `baselines` */

/* NULL: no record has named the channel, or it has been forgotten. */
struct channel *channel_table__find(struct channel_table *channels, uint32_t id);

/* The same, made if there is none; valid until the next call. NULL: out of memory. */
struct channel *channel_table__make(struct channel_table *channels, uint32_t id);

/* The same for the channel of a message, which may say more of its direction. */
struct channel *channel_table__sending(struct channel_table *channels,
				       const struct record_send *send);

/* The kernel side gives this id to a new channel. Before channel_table__make(). */
void channel_table__begins(struct channel_table *channels, uint32_t id);

/*
 * Whether this channel is unknown because it was forgotten, and a target had used it: a channel
 * that no target has used until then is of no interest.
 */
bool channel_table__forgot(struct channel_table *channels, uint32_t id);

/*
 * Calls `fn` for every channel with messages that have no record, see channel_usage_missing().
 * `last` has the threads that used the channel last, and nothing else.
 */
typedef void channel_missing_fn(void *ctx, const struct joined *last, uint64_t cnt);
void channel_table__missing(const struct channel_table *channels, channel_missing_fn *fn,
			    void *ctx);
