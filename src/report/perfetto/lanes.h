/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Draws slices that may overlap on tracks of one name, which a viewer shows as one. The slices of
 * one track do not overlap.
 */
#pragma once

#include "report/perfetto/fit.h"
#include "report/perfetto/packets.h"

#define LANES_NAME_LEN 128

/* Zero-initialised but for the first three members, which the caller sets; lanes_free() follows. */
struct lanes {
	uint64_t parent; /* track */
	int32_t rank;    /* as in struct track */
	char name[LANES_NAME_LEN];
	struct fit fit;
	uint64_t *uuid; /* by number of the place; owned */
	uint32_t room;
};

void lanes_free(struct lanes *lanes);

/* The track for a slice of this time; 0: out of memory, which `packets` reports. */
uint64_t lanes_take(struct lanes *lanes, struct packets *packets, uint64_t from_ns, uint64_t to_ns);

/* Puts a slice without others in it. `event`: what begins, without track and instant. */
void lanes_put(struct lanes *lanes, struct packets *packets, struct event *event, uint64_t from_ns,
	       uint64_t to_ns);
