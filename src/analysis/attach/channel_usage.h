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

struct seen {
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
	uint64_t known;        /* of what was sent, see seen_channels__missing() */
	uint64_t given_up_end; /* and after those that nobody took for too long, */
	uint64_t given_up_ns;  /* the first of them then; 0: none */
	UT_hash_handle hh;
};

/* Whether its other end is on another machine, as far as is known. */
bool seen_is_elsewhere(const struct seen *seen);

/*
 * This send has been waiting for its receive for too long, by `now_ns`. Whether a receive is of
 * such a one: what had been taken before then has met its send, if it ever came.
 */
void seen_gave_up(struct seen *seen, const struct record_send *send, uint64_t now_ns);
bool seen_was_given_up(const struct seen *seen, const struct record_receive *receive);

/* A receive whose send is missing is counted by itself. */
void seen_lacks_send(struct seen *seen, const struct record_receive *receive);

struct seen_channels;

/* Both are borrowed. NULL: out of memory. */
struct seen_channels *seen_channels__new(const struct threads *threads, const struct join *join);
void seen_channels__free(struct seen_channels *channels);

/* NULL: nothing has been seen of it, or that has been forgotten. */
struct seen *seen_channels__find(const struct seen_channels *channels, uint32_t id);

/* The same, made if there is none; valid until the next call. NULL: out of memory. */
struct seen *seen_channels__make(struct seen_channels *channels, uint32_t id);

/* Whether that may have been forgotten. */
bool seen_channels__forgot(const struct seen_channels *channels, uint32_t id);

/* Sends that begin from this instant on are not told of. */
void seen_channels__stop(struct seen_channels *channels, uint64_t at_ns);

/* Whether what was numbered at this instant may be behind what is not told of any more. */
bool seen_channels__is_past_stop(const struct seen_channels *channels, uint64_t at_ns);

/* Whether a target has used it. */
bool seen_channels__concerns(const struct seen_channels *channels, const struct seen *seen);

/*
 * Ends, with places in this channel; the second is of a send of which no SEND tells. Whether what
 * is sent leads to another machine, where nobody here will ever take it.
 */
bool seen_channels__sent(const struct seen_channels *channels, struct seen *seen,
			 const struct record_send *send);
void seen_channels__sent_beside(const struct seen_channels *channels, struct seen *seen,
				const struct record_beside *beside);
void seen_channels__taken(const struct seen_channels *channels, struct seen *seen,
			  const struct record_receive *receive);

/*
 * When all that has one end has been asked for: calls `fn` for channels that concern a target, with
 * how many messages were sent of which there is no record at all, at the least, and with who used
 * the channel last.
 */
typedef void seen_missing_fn(void *ctx, const struct joined *last, uint64_t cnt);
void seen_channels__missing(const struct seen_channels *channels, seen_missing_fn *fn, void *ctx);

#endif
