/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds stamps until the caller takes them out. A stamp has the clock readings that the workload
 * itself takes for one message. The link (the connection of the server and one client), the
 * direction and the number of the message identify a stamp.
 */
#pragma once

#include "bpf/record.h"

#include <stdbool.h>

#define STAMPS_MAX (1u << 20) /* waiting; further ones are refused */

struct stamps;

struct stamps *stamps__new(void); /* NULL: out of memory */
void stamps__free(struct stamps *stamps);

/* 0, -ENOMEM or -ENOSPC. */
int stamps__add(struct stamps *stamps, const struct record_stamp *stamp);

/* Takes out the stamp of message `index` in one direction of a link. False: none. */
bool stamps__take(struct stamps *stamps, uint32_t client, bool to_server, uint64_t index,
		  struct record_stamp *stamp);

/*
 * Takes out the first stamp by direction and index; false: none is left. Meant to empty the table:
 * it sorts all stamps.
 */
bool stamps__take_first(struct stamps *stamps, struct record_stamp *stamp);
