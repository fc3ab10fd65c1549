/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attach, UDP: the reads of one socket, each with its thread and the interval in which it received
 * a datagram. Intervals that overlap show which threads read at the same time.
 */
#ifndef IPCTRACE_ANALYSIS_ATTACH_DATAGRAM_READS_H
#define IPCTRACE_ANALYSIS_ATTACH_DATAGRAM_READS_H

#include "bpf/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* `awake_ns`: the thread has not slept since. */
struct datagram_read datagram_read_of(const struct record_receive *receive, uint64_t awake_ns);

/* Whether it may have received what this send queued. */
bool datagram_read_may_be_of(const struct datagram_read *read, const struct record_send *send);

/* Zero-initialised is empty. */
struct datagram_reads {
	struct datagram_read *read; /* by from_ns, once sorted */
	size_t cnt, room;
	uint32_t reader_tid; /* the last reader */
	bool is_shared;      /* several threads have read */
};

/* 0 or -ENOMEM. */
int datagram_reads_add(struct datagram_reads *reads, const struct datagram_read *read);

/* Also fills in `latest_ns`. */
void datagram_reads_sort(struct datagram_reads *reads);

/* How many began up to this instant; sorted. */
size_t datagram_reads_begun(const struct datagram_reads *reads, uint64_t at_ns);

/* How many of them, from index `first` on, overlap each other; sorted. */
size_t datagram_reads_together(const struct datagram_reads *reads, size_t first);

/* Forgets reads that were over before this instant. The order stays. */
void datagram_reads_drop(struct datagram_reads *reads, uint64_t before_ns);

void datagram_reads_free(struct datagram_reads *reads);

#endif
