/* SPDX-License-Identifier: BSD-2-Clause */
/* The receivers' own stamps, waiting for the messages that they belong to. */
#ifndef IPCTRACE_ANALYSIS_JOIN_STAMPS_H
#define IPCTRACE_ANALYSIS_JOIN_STAMPS_H

#include "bpf/record.h"

#include <stdbool.h>
#include <stddef.h>

#define STAMPS_MAX (1u << 20) /* waiting; further ones are refused */

struct stamps;

struct stamps *stamps__new(void); /* NULL: out of memory */
void stamps__free(struct stamps *stamps);

/* 0, -ENOMEM or -ENOSPC. */
int stamps__add(struct stamps *stamps, const struct record_stamp *stamp);

/* How many wait. */
size_t stamps__waiting(const struct stamps *stamps);

/* Takes out the stamp of message number `index` of one way of a link. False: it is not there. */
bool stamps__take(struct stamps *stamps, uint32_t client, bool to_server, uint64_t index,
		  struct record_stamp *stamp);

/*
 * Takes out the stamp that comes first by way and number, of all that wait. False: none does. To
 * take them all is what it is for: it sorts them.
 */
bool stamps__take_first(struct stamps *stamps, struct record_stamp *stamp);

#endif
