/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the process of a member (the server or a client). Counts the rounds that the server has
 * sent, or the exchanges of each client.
 */
#include "workload/state.h"

struct process *workload_process(const struct workload *w, uint32_t member)
{
	return &w->processes[member && w->plan.spec.threads ? 1 : member];
}

uint64_t workload__rounds(const struct workload *w)
{
	uint64_t rounds = atomic_load(&w->shared->slots[0].rounds);

	if (w->plan.transport->kernel_sends)
		return w->ticks_reported;
	return w->plan.pattern->to_server ? rounds / w->plan.spec.clients : rounds;
}
