/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who threads and interrupts are, at a given time: thread ids are used again and names change. Of
 * very many, those are forgotten that nobody has asked for or told of for longest.
 */
#ifndef IPCTRACE_ANALYSIS_HISTORY_NAMES_H
#define IPCTRACE_ANALYSIS_HISTORY_NAMES_H

#include "bpf/record.h"

struct names;

struct names *names__new(void); /* NULL: out of memory */
void names__free(struct names *names);

#define NAMES_PER_ID_MAX 64 /* of one number; older ones are forgotten */

/* 0 or -ENOMEM. */
int names__add(struct names *names, const struct record_name *name);

/*
 * The name that held at `at_ns`, or else the first one known; NULL: never heard of. Softirqs are
 * always known. Borrowed until the next names__add().
 */
const struct record_name *names__find(struct names *names, uint32_t kind, uint32_t id,
				      uint64_t at_ns);

#endif
