/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the analysis of one run of a recording in two passes. The first one finds out which
 * units are slow, and the second one what they consist of.
 */
#pragma once

#include "command/recorded/recorded_run.h"
#include "model/explanation.h"
#include "model/picture.h"

/* The caller fills in the first members, and frees the results by two_passes_clean(). */
struct two_passes {
	struct recorded_run run;
	bool (*is_over)(void); /* the user wants no result any more; NULL: never */
	bool is_illustrated;   /* the summary and the picture are wanted, too */

	/* The results. */
	struct explanation explanation; /* its outcome may say that there is none */
	struct picture picture;
	struct analysis *summed; /* its summary is complete; NULL: not wanted */

	/* While passes are made. */
	struct explain *explain;
	struct picture_maker *maker;
	bool is_selected; /* some messages are left out: then series would have gaps */
	uint64_t component_ns[NR_COMPONENTS]; /* of the message whose unit comes next */
};

/* `reader` stands at the run, and then behind it. 0, -EINTR if it is over, or -errno. */
int two_passes_make(struct two_passes *passes, struct recording_reader *reader);

void two_passes_clean(struct two_passes *passes);
