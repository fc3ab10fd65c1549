/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unwinds user stacks and names their functions by libdw, in a process of its own. libdw reads
 * files of other programs, and ends the process that it is in if it cannot allocate memory. Here
 * that costs some names, and never the report.
 *
 *	stack_log  -- mappings (once for a process), sample -->  namer process: libdw
 *	           <-- functions, innermost first ------------
 */
#pragma once

#include "bpf/stack_sample.h"
#include "stacks/image.h"
#include "stacks/unwinder.h"

struct named_frames {
	uint32_t cnt;
	bool is_cut;                                 /* there are callers that are not known */
	char text[USER_FRAMES_MAX][SYMBOL_TEXT_LEN]; /* innermost first; "": not known */
};

struct namer;

/* Starts the process. NULL: out of memory. */
struct namer *namer__new(void);
void namer__free(struct namer *namer); /* NULL allowed */

/*
 * The user stack of a sample of the process with this image. Valid until the next call. NULL: the
 * process has ended, or could not be started (logged the first time).
 */
const struct named_frames *namer__frames(struct namer *namer, const struct image *image,
					 const struct stack_sample *sample);
