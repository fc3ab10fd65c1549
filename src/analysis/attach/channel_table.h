/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds the state of each channel: struct channel combines what this file, baseline.c, datagrams.c
 * and call_matcher.c know of it. When the table is full, the least recently used channel is
 * forgotten, but for whether a target has used it.
 *
 * Five files have their own tables of channels, for two reasons. join/stream.c and
 * history/channels.c are also used in runs of the project's own workload. Runs do not have this
 * table. overlap.c, channel_book.c and round_clients.c forget channels at other times, or never.
 */
#pragma once

#include "analysis/attach/baseline.h"
#include "analysis/attach/calls/call_matcher.h"
#include "analysis/attach/threads.h"
#include "analysis/join/join.h"

#include <uthash.h>

/* A thread, and when it used the channel: thread ids are reused. */
struct user {
	uint32_t tid;
	uint64_t at_ns;
};

struct user user_of_send(const struct record_send *send);
struct user user_of_receive(const struct record_receive *receive);
bool user_is_target(const struct threads *threads, struct user user);

/*
 * What the records show about one channel: whether a target, a thread that the user asked to trace,
 * uses it, and if only one end of a message is recorded, why the other end is missing.
 */
struct channel_usage {
	uint32_t transport;   /* enum transport_id; 0: not known */
	bool had_target;      /* a target used it before the current sender and receiver: */
	struct user sender;   /* the last one */
	struct user receiver; /* the last one */
	bool has_receive;
	bool has_send;
	bool has_late;       /* its receives are numbered when their calls end */
	bool has_senders;    /* several threads have sent */
	bool has_receivers;  /* several threads have received */
	bool to_group;       /* multicast: several sockets may get what is sent */
	bool has_arrived;    /* a receiver of this machine has the data, maybe unread */
	uint64_t first_send; /* position */
	uint64_t first_send_ns;
	uint64_t sends_end;    /* position behind the last send */
	uint64_t known_cnt;    /* messages that are accounted for, see channel_usage_missing() */
	uint64_t given_up_end; /* position behind the last send that was given up, */
	uint64_t given_up_ns;  /* and when the first one was; 0: none */
};

/* What messages before a window have shown, see enum channel_flag. */
void channel_usage_facts(struct channel_usage *usage, uint32_t flags);

/* Whether the other end is on another machine, as far as is known. */
bool channel_usage_is_elsewhere(const struct channel_usage *usage);

/* Whether a target has used the channel. */
bool channel_usage_concerns(const struct channel_usage *usage, const struct threads *threads);

/*
 * A send with a position in this channel. `after_stop`: it was counted after tracing stopped.
 * Returns whether it leads to another machine, so that no receive of it will ever be recorded.
 */
bool channel_usage_sent(struct channel_usage *usage, const struct threads *threads,
			const struct record_send *send, bool after_stop);

/* A send that takes a position but has no SEND record. */
void channel_usage_sent_beside(struct channel_usage *usage, const struct record_beside *beside,
			       bool after_stop);

void channel_usage_received(struct channel_usage *usage, const struct threads *threads,
			    const struct record_receive *receive);

/* This send waited too long for its receive and was counted at `now_ns`. */
void channel_usage_gave_up(struct channel_usage *usage, const struct record_send *send,
			   uint64_t now_ns);

/*
 * Whether this receive may belong to a send that was given up. A receive that had returned before
 * the first was given up has found its send, if there was one.
 */
bool channel_usage_was_given_up(const struct channel_usage *usage,
				const struct record_receive *receive);

/* This receive lacks its send, which is counted here and not as missing. */
void channel_usage_lacks_send(struct channel_usage *usage, const struct record_receive *receive);

/*
 * How many messages of channel `id` have no record at all, at the least; 0 if no target uses it.
 * Valid after every message with one end has been accounted for.
 */
uint64_t channel_usage_missing(const struct channel_usage *usage, uint32_t id,
			       const struct threads *threads, const struct join *join);

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
