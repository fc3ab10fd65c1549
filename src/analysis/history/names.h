/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The names of threads and interrupts at a given instant: the kernel reuses thread ids, and names
 * change. Beyond LRU_THREADS_MAX ids, the least recently used ones are forgotten.
 */
#pragma once

#include "bpf/record.h"

struct names;

struct names *names__new(void); /* NULL: out of memory */
void names__free(struct names *names);

#define NAMES_PER_ID_MAX 64 /* older names of one id are forgotten */

/* 0 or -ENOMEM. */
int names__add(struct names *names, const struct record_name *name);

/*
 * The name at `at_ns`, or else the first one known; NULL: none is known. Softirqs always have a
 * name. Borrowed until the next names__add().
 */
const struct record_name *names__find(struct names *names, uint32_t kind, uint32_t id,
				      uint64_t at_ns);
