/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines the links of a member (the server or a client). The server has a link to each client,
 * and a client has one link to the server. The same functions work over all transports:
 *
 *	struct post post = links_make(&links, client, number, size);
 *	post.header.stamp_ns = clock_now_ns();
 *	err = links_send(&links, &post, wait);
 *
 *	err = links_receive(&links, &incoming);	waits for a message, records when it came
 *
 * Only one thread uses the links of a member. Only links_open() allocates memory.
 */
#pragma once

#include "workload/member/inbox.h"
#include "workload/member/worker.h"

#include <stdbool.h>
#include <stdint.h>

/* One link as this side of it sees it. */
struct link {
	uint32_t client; /* the client of this link, from 1 */
	struct direction *in;
	struct direction *out;
	struct journal *journal; /* the records of this side */
	struct inbox inbox;      /* byte streams only */
	uint64_t next_in;        /* number of the next message that is expected */
	uint64_t sent;           /* sent and received: as in `out` and `in` */
	uint64_t received;
	uint64_t allowance; /* exchanges whose records find room, see below */
	bool is_over;       /* set by the pattern: nothing more is expected */
};

struct links {
	const struct worker *worker;
	const struct transport_ops *transport;
	struct end *end; /* NULL: the pattern has none */
	struct link *link;
	uint32_t links_cnt;
	struct link *reading; /* byte streams: the link whose bytes are expected next */
	size_t read_size;     /* byte streams: as in the spec */
	char *in;             /* one message */
	char *out;            /* one message */
	uint64_t user_ns;     /* clock reading after the last receive() */
	uint64_t allowance;   /* rounds or messages of any client whose records find room */
	uint32_t tid;
};

/* A message to send. The sender fills in stamp_ns and due_ns. */
struct post {
	void *message;
	struct message_header header; /* includes the size */
};

/* A received message; valid until the next links_receive(). */
struct incoming {
	uint32_t client; /* the client of its link */
	bool is_good;    /* false: corrupt; of the header only client, size and number are set */
	bool has_stamp;  /* false: its header was overwritten in the sidecar */
	void *message;
	struct message_header header;
	uint64_t user_ns; /* clock reading after the receive() that completed the message */
	/* As in struct record_stamp_exchange; 0: the message has no connection of its own. */
	uint64_t begun_ns, connected_ns, closed_ns;
};

/* Opens the end. 0, or the exit status of a failure that is already reported. */
int links_open(struct links *links, const struct worker *worker);

/*
 * Also reports how many signals were sent and delivered. Links that were never opened may be
 * closed.
 */
void links_close(struct links *links);

struct link *links_find(const struct links *links, uint32_t client);

/* Makes a message with filling, or with the text of links_text(). */
struct post links_make(struct links *links, uint32_t client, uint64_t number, size_t size);
struct post links_seal(struct links *links, uint32_t client, uint64_t number, size_t text_size);

/* Where the text of the next message goes, and how much room there is; none in small messages. */
char *links_text(struct links *links, size_t *room);

/* Sends, counts and records a message. 0 or the -errno of transport->send(). */
int links_send(struct links *links, struct post *post, bool wait);

/*
 * Sends and waits for room as long as it takes. 0, -errno of a lost link, or -EINTR: this member is
 * to end.
 */
int links_deliver(struct links *links, struct post *post);

/* 1; 0: the link of incoming->client is closed; or -errno, which may be -EINTR. */
int links_receive(struct links *links, struct incoming *incoming);

/*
 * Counts and records a message that was received over `link` without links_receive(). Only its
 * header and clock reading have to be set.
 */
void links_note(struct links *links, struct link *link, const struct incoming *incoming);

/* Whether the error means that the other side of the link is gone. */
bool links_is_lost(int err);

/* Reports that an error of the functions above ends this member. Returns the exit status. */
int links_fail(const struct links *links, const char *what, int err);

/*
 * How a member waits for room for records: in the journals, and in the ring buffer of the kernel's
 * records (record_room.c). Members with a real-time priority may keep all CPUs, so that the driver,
 * which empties both, gets none. They then pause, between two exchanges and never inside one, until
 * the driver has read everything. A pause is counted in the slot of the member.
 */

/*
 * Pauses until the records that both sides write for one more exchange over this link find room; in
 * a pattern without answers: for one more message. Not for patterns with a tick. Adds the pause to
 * `*paused_ns`: what is due later moves by it. 0, or -EINTR: this member is to end.
 */
int record_room_await(struct links *links, struct link *link, uint64_t *paused_ns);

/* The same for a round of the server of a pattern with a tick. */
int record_room_await_round(struct links *links, uint64_t *paused_ns);

/*
 * For one message of any client, in a member that receives everything that is sent: waits for room
 * in the journals alone, also at the end, as its clients do the rest.
 */
void record_room_await_any(struct links *links);
