/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds what the records show about one channel, which is one direction of a socket, pipe or
 * queue. These facts show whether a target, a thread that the user asked to trace, uses the
 * channel. If only one end of a message is recorded, the facts help to find why the other end is
 * missing.
 */
#pragma once

#include "analysis/attach/threads.h"
#include "analysis/join/join.h"

/* A thread, and when it used the channel: thread ids are reused. */
struct user {
	uint32_t tid;
	uint64_t at_ns;
};

struct user user_of_send(const struct record_send *send);
struct user user_of_receive(const struct record_receive *receive);
bool user_is_target(const struct threads *threads, struct user user);

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
