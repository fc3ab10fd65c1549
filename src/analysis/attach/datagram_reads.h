/* SPDX-License-Identifier: BSD-2-Clause */
/* Who has taken something from one UDP socket, and when: who was at it at the same time. */
#ifndef IPCTRACE_ANALYSIS_ATTACH_DATAGRAM_READS_H
#define IPCTRACE_ANALYSIS_ATTACH_DATAGRAM_READS_H

#include "bpf/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In [from_ns, until_ns], somewhere. */
struct datagram_read {
	uint32_t tid;
	uint32_t channel; /* of what it took, as far as is known; CHANNEL_UNKNOWN: it is not */
	uint64_t position;
	uint64_t from_ns;
	uint64_t until_ns;
	uint64_t since_ns;  /* what it took was queued since then; 0: not known */
	uint64_t latest_ns; /* the latest until_ns of all that began before it, and its own */
	uint64_t unseen;    /* how-manyth of its socket it is; DATAGRAM_READ_SEEN: none */
	uint64_t search;    /* it was looked at last in this one */
};

/* In `unseen`: somebody saw what it took. */
#define DATAGRAM_READ_SEEN UINT64_MAX

/* `awake_ns`: since then its thread has not slept. */
struct datagram_read datagram_read_of(const struct record_receive *receive, uint64_t awake_ns);

/* Whether it may have taken what this send has queued. */
bool datagram_read_may_be_of(const struct datagram_read *take, const struct record_send *send);

/* Zero-initialised is empty. */
struct datagram_reads {
	struct datagram_read *take; /* once sorted, in the order of from_ns */
	size_t cnt, room;
	uint32_t reader_tid; /* who took last */
	bool is_shared;      /* several have taken */
};

/* 0 or -ENOMEM. */
int datagram_reads_add(struct datagram_reads *takes, const struct datagram_read *take);

/* Fills in `latest_ns`, too. */
void datagram_reads_sort(struct datagram_reads *takes);

/* How many began up to this instant; sorted. */
size_t datagram_reads_begun(const struct datagram_reads *takes, uint64_t at_ns);

/* How many of them, from the one with this index on, overlapped each other; sorted. */
size_t datagram_reads_together(const struct datagram_reads *takes, size_t first);

/* Those that were over before this instant are needed no more. The order stays. */
void datagram_reads_drop(struct datagram_reads *takes, uint64_t before_ns);

void datagram_reads_free(struct datagram_reads *takes);

#endif
