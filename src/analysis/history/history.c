/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/history/history.h"

#include <errno.h>

int past_init(struct past *past)
{
	past->timelines = timelines__new();
	past->calls = calls__new();
	past->cpus = cpu_history__new();
	past->kept_ns = PAST_MAX_NS;
	return past->timelines && past->calls && past->cpus ? 0 : -ENOMEM;
}

void past_clean(struct past *past)
{
	timelines__free(past->timelines);
	calls__free(past->calls);
	cpu_history__free(past->cpus);
}

static size_t past_cnt(const struct past *past)
{
	return timelines__cnt(past->timelines) + calls__cnt(past->calls) +
	       cpu_history__cnt(past->cpus);
}

/* A message whose other end never comes does not keep everything for ever. */
void past_trim(struct past *past, uint64_t before_ns, uint64_t horizon_ns)
{
	size_t cnt;

	if (before_ns != UINT64_MAX && horizon_ns + past->kept_ns < before_ns)
		horizon_ns = before_ns - past->kept_ns;
	timelines__trim(past->timelines, horizon_ns);
	calls__trim(past->calls, horizon_ns);
	cpu_history__trim(past->cpus, horizon_ns);
	cnt = past_cnt(past);
	if (cnt > PAST_MAX && past->kept_ns / 2 >= PAST_MIN_NS)
		past->kept_ns /= 2;
	else if (cnt < PAST_MAX / 4 && past->kept_ns * 2 <= PAST_MAX_NS)
		past->kept_ns *= 2;
}
