/* SPDX-License-Identifier: BSD-2-Clause */
/* The records of a workload on their way out. */
#include "workload/clock.h"
#include "workload/driver.h"
#include "workload/worker.h"

#define INTERVAL_MIN_NS (10 * NSEC_PER_MSEC)
#define INTERVAL_MAX_NS (500 * NSEC_PER_MSEC)

static int roles_put(const struct workload *w, workload_put_fn *put, void *ctx)
{
	int err = 0;

	for (unsigned int i = 0; i < w->forked && !err; i++) {
		struct record_role role = {
			.head = {.type = RECORD_ROLE,
				 .words = RECORD_WORDS(struct record_role),
				 .tid = (uint32_t)w->processes[i].pid},
			.role = i ? ROLE_CLIENT : ROLE_SERVER,
			.client = i,
		};

		worker_name(i, role.comm);
		err = put(ctx, &role.head);
	}
	return err;
}

static int left_put(struct workload *w, workload_put_fn *put, void *ctx)
{
	int err = 0;

	for (unsigned int i = 0; i < w->forked && !err; i++) {
		struct process *process = &w->processes[i];

		if (!process->has_left)
			continue;
		process->has_left = false;
		err = put(ctx, &process->left.head);
	}
	return err;
}

int workload__drain(struct workload *w, workload_put_fn *put, void *ctx)
{
	int err = 0;

	if (!w->roles_told) {
		w->roles_told = true;
		err = roles_put(w, put, ctx);
	}
	for (unsigned int i = 0; i < w->forked && !err; i++)
		err = journal_drain(&w->shared->slots[i].journal, put, ctx);
	return err ? err : left_put(w, put, ctx);
}

/* Half of a journal at the nominal rate. */
uint64_t workload__drain_interval_ns(const struct workload *w)
{
	uint64_t half = w->shared->capacity / 2;
	uint64_t period_ns = w->plan.spec.period_ns;
	uint64_t interval_ns =
		half < INTERVAL_MAX_NS / period_ns ? half * period_ns : INTERVAL_MAX_NS;

	return interval_ns > INTERVAL_MIN_NS ? interval_ns : INTERVAL_MIN_NS;
}

uint64_t workload__lost(const struct workload *w)
{
	uint64_t lost = 0;

	for (unsigned int i = 0; i < w->forked; i++)
		lost += journal_lost(&w->shared->slots[i].journal);
	return lost;
}
