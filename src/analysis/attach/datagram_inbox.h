/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds the reads of one UDP socket, and the sends whose datagrams these reads may have received.
 * Each read has the time interval in which its datagram was received. A read is called "unseen" if
 * the BPF programs could not see its datagram (datagrams.h).
 */
#pragma once

#include "analysis/join/join.h"

#include <uthash.h>

/* Unseen reads of one socket that wait for their datagram; then the oldest is given up. */
#define DATAGRAM_INBOX_UNSEEN_MAX 1024

/* Reads of one socket between two watermarks; further ones are ambiguous. */
#define DATAGRAM_INBOX_READS_MAX 65536

/* It received a datagram at some instant in [from_ns, until_ns]. */
struct datagram_read {
	uint32_t tid;
	uint32_t channel; /* of its datagram; CHANNEL_UNKNOWN: not known */
	uint64_t position;
	uint64_t from_ns;
	uint64_t until_ns;
	uint64_t since_ns;  /* its datagram was queued since then; 0: not known */
	uint64_t latest_ns; /* the latest until_ns of this and of all reads that began before */
	uint64_t unseen;    /* number among the unseen reads of its socket; DATAGRAM_READ_SEEN */
	uint64_t search;    /* number of the last search that tried to move it */
};

/* In `unseen`: the kernel side saw its datagram. */
#define DATAGRAM_READ_SEEN UINT64_MAX

/* Zero-initialised is empty. */
struct datagram_reads {
	struct datagram_read *read; /* by from_ns, once sorted */
	size_t cnt, room;
	uint32_t reader_tid; /* the last reader */
	bool is_shared;      /* several threads have read */
};

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

/* `awake_ns`: the thread has not slept since. */
struct datagram_read datagram_read_of(const struct record_receive *receive, uint64_t awake_ns);

/* Whether it may have received what this send queued. */
bool datagram_read_may_be_of(const struct datagram_read *read, const struct record_send *send);

/* 0 or -ENOMEM. */
int datagram_reads_add(struct datagram_reads *reads, const struct datagram_read *read);

/* How many began up to this instant; sorted. */
size_t datagram_reads_begun(const struct datagram_reads *reads, uint64_t at_ns);

/* Forgets reads that were over before this instant. The order stays. */
void datagram_reads_drop(struct datagram_reads *reads, uint64_t before_ns);

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
