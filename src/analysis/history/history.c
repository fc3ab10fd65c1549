/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/history/history.h"

#include <errno.h>

int history_init(struct history *past)
{
	past->timelines = timelines__new();
	past->calls = receive_calls__new();
	past->cpus = cpu_slices__new();
	past->kept_ns = HISTORY_MAX_NS;
	return past->timelines && past->calls && past->cpus ? 0 : -ENOMEM;
}

void history_clean(struct history *past)
{
	timelines__free(past->timelines);
	receive_calls__free(past->calls);
	cpu_slices__free(past->cpus);
}

static size_t past_cnt(const struct history *past)
{
	return timelines__cnt(past->timelines) + receive_calls__cnt(past->calls) +
	       cpu_slices__cnt(past->cpus);
}

/* A message whose other end never comes does not keep everything for ever. */
void history_trim(struct history *past, uint64_t before_ns, uint64_t horizon_ns)
{
	size_t cnt;

	if (before_ns != UINT64_MAX && horizon_ns + past->kept_ns < before_ns)
		horizon_ns = before_ns - past->kept_ns;
	timelines__trim(past->timelines, horizon_ns);
	receive_calls__trim(past->calls, horizon_ns);
	cpu_slices__trim(past->cpus, horizon_ns);
	cnt = past_cnt(past);
	if (cnt > HISTORY_MAX && past->kept_ns / 2 >= HISTORY_MIN_NS)
		past->kept_ns /= 2;
	else if (cnt < HISTORY_MAX / 4 && past->kept_ns * 2 <= HISTORY_MAX_NS)
		past->kept_ns *= 2;
}
