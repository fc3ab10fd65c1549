/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The links of one member, as patterns use them: messages are made, stamped, sent, taken, checked,
 * counted and noted here, over whatever transport. The server has a link to each client, a client
 * has one.
 *
 *	struct post post = links_make(&links, client, number, size);
 *	post.header.stamp_ns = clock_now_ns();
 *	err = links_send(&links, &post, wait);
 *
 *	err = links_take(&links, &taken);	waits for one message, reads the clock, notes it
 *
 * Made for one thread. No call but links_open() gets memory.
 */
#ifndef IPCTRACE_WORKLOAD_MEMBER_LINKS_H
#define IPCTRACE_WORKLOAD_MEMBER_LINKS_H

#include "workload/member/inbox.h"
#include "workload/member/message.h"
#include "workload/member/worker.h"

#include <stdbool.h>
#include <stdint.h>

/* One link as its end here sees it. */
struct link {
	uint32_t client; /* 1..N: whose */
	struct direction *in;
	struct direction *out;
	struct journal *journal; /* what is noted of it here */
	struct inbox inbox;      /* byte streams only */
	uint64_t next_in;        /* number of the next message that is expected */
	uint64_t sent;           /* as in `out`, `in` */
	uint64_t received;
	uint64_t allowance; /* exchanges whose records have room for sure */
	bool is_over;       /* the pattern's: nothing more is expected */
};

struct links {
	const struct worker *worker;
	const struct transport_ops *transport;
	struct end *end; /* NULL: the pattern has none */
	struct link *link;
	uint32_t links_cnt;
	struct link *reading; /* byte streams: whose bytes are expected next */
	size_t read_size;     /* byte streams: as in the spec */
	char *in;             /* one message */
	char *out;            /* one message */
	uint64_t user_ns;     /* clock reading after the last receive() */
	uint64_t allowance;   /* messages that may be taken with room for what is noted of them */
	uint32_t tid;
};

/* A message on its way out. The sender fills in stamp_ns and due_ns. */
struct post {
	void *message;
	struct message_header header; /* with the size */
};

/* A message that has come; valid until the next links_take(). */
struct incoming {
	uint32_t client; /* whose link */
	bool is_good;    /* false: corrupt; its header says no more than whose and how-manyth */
	bool has_stamp;  /* false: its header came too late to be read */
	void *message;
	struct message_header header;
	uint64_t user_ns; /* the clock after the receive() that completed it */
};

/* serve() or join(). 0, or the exit status of a failure that has been said. */
int links_open(struct links *links, const struct worker *worker);

/* Also tells what signals were sent and delivered. What never was opened may be closed. */
void links_close(struct links *links);

struct link *links_find(const struct links *links, uint32_t client);

/* A message with filling, a message with what was taken, and one with text (links_text()). */
struct post links_make(struct links *links, uint32_t client, uint64_t number, size_t size);
struct post links_echo(const struct incoming *incoming);
struct post links_seal(struct links *links, uint32_t client, uint64_t number, size_t text_size);

/* Where the text of the next message goes, and how much there may be. Small messages: none. */
char *links_text(struct links *links, size_t *room);

/* 0 or -errno, as transport->send() says. Counts and notes what was sent. */
int links_send(struct links *links, struct post *post, bool wait);

/*
 * Sends for as long as it takes, as to one who surely takes it: 0, -errno of a link that is lost,
 * or -EINTR: this member is to end.
 */
int links_deliver(struct links *links, struct post *post);

/* 1; 0: that client's link has been closed; or -errno, -EINTR among them. */
int links_receive(struct links *links, struct incoming *incoming);

/*
 * Counts and notes a message that has come over `link` without links_take(), whose header and clock
 * readings are all that has to be known.
 */
void links_note(struct links *links, struct link *link, const struct incoming *incoming);

/* Whether that error says that the other side of the link has gone. */
bool links_is_lost(int err);

/*
 * Waits, if it has to, until the driver has made room for what both sides note of one more exchange
 * over this link; only for those who have no tick to keep. 0 or -EINTR: this member is to end.
 */
int links_reserve(struct links *links, struct link *link);

/* The same for one message of whoever, in a member that is to take all that has been sent. */
void links_reserve_any(struct links *links);

#endif
