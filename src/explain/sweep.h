/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds intervals that overlap or touch, and so belong to one cluster:
 *
 *	|-----|
 *	   |------|              |---|
 *	          |--|
 *	|   cluster  |         |cluster|
 *
 * Intervals arrive nearly in the order of time, as units do. Up to SWEEP_ROOM of them wait for
 * earlier ones. An interval that arrives even later, and overlaps no cluster that is still open,
 * counts as a cluster of its own.
 *
 * Intervals of different lanes never belong to one cluster.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SWEEP_ROOM      8192
#define SWEEP_LANES_MAX 16

/* So many wait in any case, even if their payloads are large. */
#define SWEEP_LEAST 512

/* More bytes of payload do not wait, except for those of SWEEP_LEAST intervals. */
#define SWEEP_BYTES_MAX (8u << 20)

struct interval {
	uint64_t from_ns;
	uint64_t to_ns;
	uint32_t lane;
	void *payload; /* owned, free() */
};

/* The functions return 0 or -errno. */
struct sweep_ops {
	/* The interval belongs to the open cluster of its lane, which it may have begun. */
	int (*extend)(void *ctx, const struct interval *interval);
	/* No more intervals belong to the cluster of this lane. */
	int (*close)(void *ctx, uint32_t lane);
};

struct open_cluster {
	bool is_open;
	uint64_t from_ns;
	uint64_t to_ns;
};

struct waiting {
	struct interval interval;
	size_t bytes;
	uint64_t number; /* in the order of arrival, so that the order of sorting is unique */
};

/* Zero-initialised but for the first three members, which the caller sets. */
struct sweep {
	const struct sweep_ops *ops;
	void *ctx;
	uint32_t lanes;
	struct open_cluster open[SWEEP_LANES_MAX];
	struct waiting waiting[SWEEP_ROOM];
	uint32_t cnt;
	size_t bytes;
	uint64_t number;
};

void sweep_clean(struct sweep *sweep);

/* Takes the payload over, which has so many bytes. 0 or -errno. */
int sweep_add(struct sweep *sweep, const struct interval *interval, size_t bytes);

/* Closes all clusters. 0 or -errno. */
int sweep_finish(struct sweep *sweep);
