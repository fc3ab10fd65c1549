/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds up the wakes in vain that units bring about, to say how many each unit does. */
#pragma once

#include "model/explanation.h"

/* Of the units of one side. Zero-initialised it is empty. */
struct vain {
	uint64_t units;
	uint64_t wakes;
	unsigned __int128 cpu_ns;
	uint64_t call_votes; /* how sure `call` is that of most units (Boyer and Moore) */
	uint32_t call;
	bool in_poll; /* as in struct unit_vain */
	bool in_futex;
};

void vain_add(struct vain *vain, const struct unit *unit);

/* Means over all units; `wakes` is 0 if there are none. */
struct explain_vain vain_finish(const struct vain *vain);
