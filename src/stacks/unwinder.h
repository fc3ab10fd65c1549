/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unwinds the user stack of a sample, and names functions of the process, by the files that it
 * executes.
 */
#pragma once

#include "bpf/stack_sample.h"
#include "stacks/image.h"

#include <stdbool.h>

#define USER_FRAMES_MAX 128

struct unwinder;

/* `image` is borrowed. NULL: libdw is missing, or there is no memory. */
struct unwinder *unwinder__new(const struct image *image);
void unwinder__free(struct unwinder *unwinder); /* NULL allowed */

struct user_frames {
	uint64_t address[USER_FRAMES_MAX]; /* innermost first; inside of the call, see below */
	uint32_t cnt;
	bool is_cut; /* there are callers that are not known */
};

/*
 * Unwinds by the call frame information of the files (.eh_frame). Where it ends too early, goes on
 * by frame pointers. An address of a caller is that of the last byte of its call: the next
 * instruction may belong to another line, or function. `unwinder` may be NULL.
 */
void unwinder__frames(struct unwinder *unwinder, const struct image *image,
		      const struct stack_sample *sample, struct user_frames *frames);

/*
 * Writes the function at an address as "handle (server.c:120)"; without debug information as
 * "handle", and without a symbol as "libc.so.6+0x8a5b9", for addr2line. False: nothing is known.
 * `unwinder` may be NULL.
 */
bool unwinder__name(struct unwinder *unwinder, const struct image *image, uint64_t address,
		    char *text, size_t size);
