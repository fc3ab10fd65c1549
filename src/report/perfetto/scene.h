/* SPDX-License-Identifier: BSD-2-Clause */
/* Defines what all parts of a picture of one run share. */
#pragma once

#include "model/message.h"
#include "model/spans.h"
#include "model/spec.h"
#include "report/perfetto/fit.h"
#include "report/perfetto/packets.h"

/*
 * Draws slices that may overlap on tracks of one name, which a viewer shows as one. The slices of
 * one track do not overlap.
 */
#define LANES_NAME_LEN 128

/* Zero-initialised but for the first three members, which the caller sets. */
struct lanes {
	uint64_t parent; /* track */
	int32_t rank;    /* as in struct track */
	char name[LANES_NAME_LEN];
	struct fit fit; /* owned: fit_free() */
};

/* The track for a slice of this time; 0: out of memory, which `packets` reports. */
uint64_t lanes_take(struct lanes *lanes, struct packets *packets, uint64_t from_ns, uint64_t to_ns);

/* A run of events: a slice without others in it. `event`: what begins, without its instant. */
void slice_put(struct packets *packets, struct event *event, uint64_t from_ns, uint64_t to_ns);

/* Ends the slice that began last on this track. */
void slice_end(struct packets *packets, uint64_t track, uint64_t at_ns);

#define LOST_KEPT 64

struct scene {
	struct packets *packets;
	struct run_info info;
	uint64_t run;  /* number, from 1 */
	uint64_t root; /* track */
	struct lanes lost;
	struct span last_lost[LOST_KEPT]; /* of several messages: it is put once */
	uint32_t next_lost;
	uint64_t first_ns; /* the first event; UINT64_MAX: none yet */
};

/* A track below the root that has only others below it. Its identity. */
uint64_t scene_group(struct scene *scene, const char *name, int32_t rank);

/*
 * Puts a stretch of which something is not known on the track `lost`, unless it was put a short
 * while ago. `what`: its name and notes.
 */
void scene_lost(struct scene *scene, uint64_t from_ns, uint64_t to_ns, struct event *what);

/* Notes a thread. */
void event_note_thread(struct event *event, const struct party *thread);
