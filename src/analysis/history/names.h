/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the name that a thread or an interrupt has at a given instant. The instant matters because
 * the kernel reuses thread ids, and because names change. Keeps only the LRU_THREADS_MAX most
 * recently used ids.
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
