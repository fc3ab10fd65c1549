/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attach, UDP: the reads of one socket, and the sends that they may have received. "Unseen" are
 * reads whose datagram the kernel side could not see, see datagrams.h.
 */
#ifndef IPCTRACE_ANALYSIS_ATTACH_DATAGRAM_INBOX_H
#define IPCTRACE_ANALYSIS_ATTACH_DATAGRAM_INBOX_H

#include "analysis/attach/datagram_reads.h"
#include "analysis/join/join.h"

#include <uthash.h>

/* Unseen reads of one socket that wait for their datagram; then the oldest is given up. */
#define DATAGRAM_INBOX_UNSEEN_MAX 1024

/* Reads of one socket between two watermarks; further ones are ambiguous. */
#define DATAGRAM_INBOX_READS_MAX 65536

struct unseen_read {
	struct record_receive receive;
	struct datagram_read read;
	size_t change_cnt;
	bool is_ambiguous;
	bool is_done; /* its datagram has been found, or it was given up */
};

/* A send without a receive. */
struct unread_send {
	struct record_send send;
	size_t reader_cnt; /* unseen reads that may have received it */
	bool is_assigned;  /* to one of them, while the inbox is settled */
};

struct datagram_inbox {
	uint64_t socket;     /* cookie */
	uint64_t emptied_ns; /* datagrams queued before have left the queue */
	struct unseen_read *unseen;
	size_t unseen_cnt, unseen_room;
	uint64_t unseen_gone; /* number of unseen reads before the first of these */
	struct datagram_reads reads;
	uint64_t search_cnt;
	struct unread_send *unread; /* while the inbox is settled */
	size_t unread_cnt, unread_room;
	UT_hash_handle hh;
};

void datagram_inbox_clean(struct datagram_inbox *inbox);

/* Appends an unseen read, for which there is room. 0 or -ENOMEM. */
int datagram_inbox_add(struct datagram_inbox *inbox, const struct record_receive *receive,
		       size_t change_cnt, uint64_t awake_ns);

/* Forgets unseen reads that are done, from the oldest on. The others keep their numbers. */
void datagram_inbox_drop_done(struct datagram_inbox *inbox);

/*
 * Marks what is ambiguous because several threads read at the same time; reads that were seen are
 * marked in `join`.
 */
void datagram_inbox_mark_overlaps(struct datagram_inbox *inbox, struct join *join);

/* Notes a send without a receive, if an unseen read may have received it. 0 or -ENOMEM. */
int datagram_inbox_add_unread(struct datagram_inbox *inbox, const struct record_send *send);

#endif
