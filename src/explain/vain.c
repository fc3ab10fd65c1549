/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps sums, and the system call that failed in most units. */
#include "explain/vain.h"

void vain_add(struct vain *vain, const struct unit *unit)
{
	const struct unit_vain *one = &unit->vain;

	vain->units++;
	if (!one->wakes)
		return;
	vain->wakes += one->wakes;
	vain->cpu_ns += one->cpu_ns;
	/* What the program sees says more than what only the kernel does. */
	if (!vain->call_votes || (vain->in_poll && !one->in_poll)) {
		vain->call_votes = 0;
		vain->call = one->call;
		vain->in_poll = one->in_poll;
		vain->in_futex = one->in_futex;
	}
	if (one->in_poll && !vain->in_poll)
		return;
	vain->call_votes = one->call == vain->call ? vain->call_votes + 1 : vain->call_votes - 1;
}

struct explain_vain vain_finish(const struct vain *vain)
{
	if (!vain->wakes)
		return (struct explain_vain){0};
	return (struct explain_vain){
		.wakes = (double)vain->wakes / (double)vain->units,
		.cpu_ns = (double)((long double)vain->cpu_ns / vain->units),
		.call = vain->call,
		.in_futex = vain->in_futex,
	};
}
