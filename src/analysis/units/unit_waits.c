/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps the shares of a message's waits in the order of time. */
#include "analysis/units/unit_waits.h"

#include "analysis/breakdown/blame.h"
#include "container/step_limit.h"
#include "analysis/state.h"
#include "analysis/units/units_state.h"
#include "model/blocked_calls.h"

void unit_waits_begin(struct analysis *a)
{
	if (a->units)
		a->units->wait_cnt = 0;
}

void unit_waits_add(struct analysis *a, const struct blames *blames,
		    const struct blame_roles *roles, uint32_t receiver_tid)
{
	struct units *units = a->units;

	if (!units || !units->on_moments)
		return;
	for (uint32_t i = 0; i < blames->shares.cnt && units->wait_cnt < UNIT_WAITS_MAX; i++) {
		const struct cpu_share *share = &blames->shares.share[i];
		struct moment *wait = &units->wait[units->wait_cnt++];

		step_limit_spend(STEPS_OF_SHARE);
		*wait = (struct moment){
			.from_ns = share->from_ns,
			.to_ns = share->to_ns,
			.tid = receiver_tid,
			.cpu = blames->cpu,
			.cost = COMPONENT_RUNQUEUE,
			.call = CALL_UNKNOWN,
			.role = share->kind == SHARE_UNKNOWN ? CAUSE_UNKNOWN : CAUSE_RAN,
			.by = blame_of_share(a->names, roles, share),
		};
		wait->by.ns = share->to_ns - share->from_ns;
		wait->by.cpu = blames->cpu;
	}
}
