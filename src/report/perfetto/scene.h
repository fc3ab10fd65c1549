/* SPDX-License-Identifier: BSD-2-Clause */
/* Defines what all parts of a picture of one run share. */
#pragma once

#include "model/message.h"
#include "model/spec.h"
#include "report/perfetto/lanes.h"
#include "report/perfetto/packets.h"

#define LOST_KEPT 64

struct lost_stretch {
	uint64_t from_ns;
	uint64_t to_ns;
};

struct scene {
	struct packets *packets;
	struct run_info info;
	uint64_t run;  /* number, from 1 */
	uint64_t root; /* track */
	struct lanes lost;
	struct lost_stretch last_lost[LOST_KEPT]; /* of several messages: it is put once */
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
