/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures how much tracing slows a workload down, for --overhead. Makes pairs of short runs. One
 * run of each pair is traced.
 */
#include "command/live/overhead.h"

#include "command/live/interrupt.h"
#include "cli/options.h"
#include "command/live/run_once.h"
#include "model/spec.h"
#include "util/log.h"

#include <stdbool.h>

#define PAIRS 10

/*
 * Long enough for a mean, and short enough that a drift of the machine affects both runs of a pair.
 */
#define STRETCH_NS       500000000ULL
#define STRETCH_ROUNDS   10    /* at least */
#define STRETCH_MESSAGES 20000 /* without a period */
#define WARMUP_PART      10    /* the warm-up is 1/10 of a stretch */

static uint64_t messages_of(const struct workload_spec *spec)
{
	uint64_t rounds;

	if (!spec->period_ns)
		return spec->messages < STRETCH_MESSAGES ? spec->messages : STRETCH_MESSAGES;
	rounds = STRETCH_NS / spec->period_ns;
	return rounds > STRETCH_ROUNDS ? rounds : STRETCH_ROUNDS;
}

/* The mean latency of one short run, from the clock readings of the receivers. */
static int measure(const struct run_setup *setup, bool traced, double *mean_ns)
{
	struct run_info info = *setup->info;
	const struct trace_options trace = {.reader = setup->trace->reader};
	struct run_setup stretch = {
		.info = &info,
		.load = setup->load,
		.progress = setup->progress,
		.trace = &trace,
		.types = setup->types,
		.mean_ns = mean_ns,
		.ended_early = setup->ended_early,
	};

	info.traced = traced;
	info.workload.messages = messages_of(&info.workload);
	info.workload.warmup = info.workload.messages / WARMUP_PART;
	return run_once(&stretch);
}

int overhead_measure(const struct run_setup *setup, struct observer_effect *effect)
{
	double ratio[PAIRS], mean_ns[2];
	size_t cnt = 0;
	int err = 0;

	log_notice(
		"measuring the observer effect first: %d pairs of short runs, traced and untraced",
		PAIRS);
	*effect = (struct observer_effect){0};
	for (int pair = 0; !err && pair < PAIRS && !interrupt_happened(); pair++) {
		/* Each pair begins with the other kind. */
		for (int i = 0; !err && i < 2; i++) {
			bool traced = (pair + i) % 2;

			err = measure(setup, traced, &mean_ns[traced]);
		}
		if (!err && mean_ns[0] > 0 && mean_ns[1] > 0)
			ratio[cnt++] = mean_ns[1] / mean_ns[0];
	}
	if (!err && !interrupt_happened())
		*effect = observer_effect_of(ratio, cnt);
	return err;
}
