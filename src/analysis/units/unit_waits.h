/* SPDX-License-Identifier: BSD-2-Clause */
/* Collects what ran while the receiver of a message waited for a CPU (struct unit). */
#pragma once

#include <stdint.h>

struct analysis;
struct blames;
struct blame_roles;

/* Forgets the waits of the last message. */
void unit_waits_begin(struct analysis *a);

/* Adds the shares of a wait of the message at hand, as blame_cut_wait() has left them. */
void unit_waits_add(struct analysis *a, const struct blames *blames,
		    const struct blame_roles *roles, uint32_t receiver_tid);
