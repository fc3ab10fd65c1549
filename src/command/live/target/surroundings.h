/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares functions that look at the channels of targets before and after tracing. They answer
 * where a relative socket is, and, if no message was seen or no target is left, what was there
 * instead.
 */
#pragma once

#include "bpf/record.h"
#include "command/live/target/targets.h"

#define SURROUNDINGS_MAX 16

/* A name under which others can reach a target. */
struct reached_at {
	uint32_t transport;
	size_t length;
	uint8_t name[ADDRESS_TEXT_LEN]; /* unix: as it was bound */
	char shown[PATH_TEXT_LEN];      /* the path or address */
};

struct found_with_name {
	struct record_found found;
	char name[PATH_TEXT_LEN];
};

/* Starts as zeros. */
struct surroundings {
	struct reached_at at[SURROUNDINGS_MAX];
	size_t cnt;

	/* Found after tracing, together with what is known: */
	bool hides_channels; /* the descriptors of a target are not visible */
	bool hides_heir;     /* which process has the first name now is not visible */
};

/* Before tracing. What cannot be read is not known. */
void surroundings_note(struct surroundings *surroundings, const struct targets *targets);

/* Passes a PATH record for each unix socket with a relative name. 0 or the error of `put`. */
int surroundings_put_paths(const struct surroundings *surroundings,
			   int (*put)(void *ctx, const struct record *record), void *ctx);

/*
 * After tracing: which channels the targets have, or what has their names now. False: not known,
 * perhaps because it is hidden.
 */
bool surroundings_find(struct surroundings *surroundings, const struct targets *targets,
		       struct found_with_name *found);
