/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attach: what has been seen of each channel. Who uses it, what was sent there, and how much of
 * that has no record. Of very many channels, those are forgotten that were not used for longest.
 */
#ifndef IPCTRACE_ANALYSIS_ATTACH_CHANNEL_USAGE_H
#define IPCTRACE_ANALYSIS_ATTACH_CHANNEL_USAGE_H

#include "analysis/attach/threads.h"
#include "analysis/join/join.h"

#include <uthash.h>

/* Who has used a channel last. */
struct user {
	uint32_t tid;
	uint64_t at_ns;
};

struct user user_of_send(const struct record_send *send);
struct user user_of_receive(const struct record_receive *receive);

struct channel_usage {
	uint32_t id;
	uint32_t used;
	uint32_t transport; /* enum transport_id; 0: not known */
	bool concerns;      /* a target has used it, of those that used it before the last ones: */
	struct user sender;
	struct user receiver;
	bool has_receive;
	bool has_send;
	bool has_late;       /* receives that were numbered when they were over */
	bool has_senders;    /* several threads have sent */
	bool has_receivers;  /* several have taken something */
	bool to_group;       /* several sockets may get what is sent there */
	bool has_arrived;    /* a receiver of this machine has what was sent, maybe unread */
	uint64_t first_send; /* position */
	uint64_t first_send_ns;
	uint64_t sends_end;    /* position after the last one */
	uint64_t known;        /* of what was sent, see channel_usages__missing() */
	uint64_t given_up_end; /* and after those that nobody took for too long, */
	uint64_t given_up_ns;  /* the first of them then; 0: none */
	UT_hash_handle hh;
};

/* Whether its other end is on another machine, as far as is known. */
bool channel_usage_is_elsewhere(const struct channel_usage *seen);

/*
 * This send has been waiting for its receive for too long, by `now_ns`. Whether a receive is of
 * such a one: what had been taken before then has met its send, if it ever came.
 */
void channel_usage_gave_up(struct channel_usage *seen, const struct record_send *send,
			   uint64_t now_ns);
bool channel_usage_was_given_up(const struct channel_usage *seen,
				const struct record_receive *receive);

/* A receive whose send is missing is counted by itself. */
void channel_usage_lacks_send(struct channel_usage *seen, const struct record_receive *receive);

struct channel_usages;

/* Both are borrowed. NULL: out of memory. */
struct channel_usages *channel_usages__new(const struct threads *threads, const struct join *join);
void channel_usages__free(struct channel_usages *channels);

/* NULL: nothing has been seen of it, or that has been forgotten. */
struct channel_usage *channel_usages__find(const struct channel_usages *channels, uint32_t id);

/* The same, made if there is none; valid until the next call. NULL: out of memory. */
struct channel_usage *channel_usages__make(struct channel_usages *channels, uint32_t id);

/* Whether that may have been forgotten. */
bool channel_usages__forgot(const struct channel_usages *channels, uint32_t id);

/* Sends that begin from this instant on are not told of. */
void channel_usages__stop(struct channel_usages *channels, uint64_t at_ns);

/* Whether what was numbered at this instant may be behind what is not told of any more. */
bool channel_usages__is_past_stop(const struct channel_usages *channels, uint64_t at_ns);

/* Whether a target has used it. */
bool channel_usages__concerns(const struct channel_usages *channels,
			      const struct channel_usage *seen);

/*
 * Ends, with places in this channel; the second is of a send of which no SEND tells. Whether what
 * is sent leads to another machine, where nobody here will ever take it.
 */
bool channel_usages__sent(const struct channel_usages *channels, struct channel_usage *seen,
			  const struct record_send *send);
void channel_usages__sent_beside(const struct channel_usages *channels, struct channel_usage *seen,
				 const struct record_beside *beside);
void channel_usages__taken(const struct channel_usages *channels, struct channel_usage *seen,
			   const struct record_receive *receive);

/*
 * When all that has one end has been asked for: calls `fn` for channels that concern a target, with
 * how many messages were sent of which there is no record at all, at the least, and with who used
 * the channel last.
 */
typedef void channel_usage_missing_fn(void *ctx, const struct joined *last, uint64_t cnt);
void channel_usages__missing(const struct channel_usages *channels, channel_usage_missing_fn *fn,
			     void *ctx);

#endif
