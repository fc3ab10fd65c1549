/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds the names of workload settings, which the command line and the reports use. Derives
 * properties from the name of a pattern, for example whether the server answers.
 */
#include "model/spec.h"

#include <stdio.h>
#include <string.h>

const char *const sched_policy_names[NR_SCHED_POLICIES] = {
	[POLICY_RR] = "rr",
	[POLICY_FIFO] = "fifo",
	[POLICY_DEADLINE] = "deadline",
	[POLICY_OTHER] = "other",
};

const char *const cpu_affinity_names[NR_CPU_AFFINITIES] = {
	[CPUS_FREE] = "free",
	[CPUS_ONE] = "one",
	[CPUS_SPREAD] = "spread",
	[CPUS_LISTS] = "lists",
};

const char *const reader_names[NR_READERS] = {
	[READER_BLOCK] = "block",
	[READER_POLL] = "poll",
	[READER_EPOLL] = "epoll",
};

const char *const level_names[NR_LEVELS] = {
	[LEVEL_FULL] = "full",
	[LEVEL_LIGHT] = "light",
	[LEVEL_DEEP] = "deep",
};

const char *const reader_policy_names[NR_READER_POLICIES] = {
	[READER_IDLE] = "idle",
	[READER_OTHER] = "other",
	[READER_CPUS] = "cpus",
};

const char *const left_reason_names[NR_LEFT_REASONS] = {
	[LEFT_SEND_FAILED] = "send_failed",
	[LEFT_SIGNAL] = "signal",
	[LEFT_EXIT] = "exit",
	[LEFT_DURATION] = "duration",
	[LEFT_TARGETS] = "targets",
	[LEFT_STOP_AT] = "stop_at",
	[LEFT_COUNT] = "count",
};

const char *const loss_names[NR_LOSSES] = {
	[LOSS_RING_FULL] = "ring_full",
	[LOSS_CHANNELS] = "channels",
	[LOSS_RECURSION] = "recursion",
	[LOSS_STAMPS] = "stamps",
};

const char *const mode_names[NR_MODES] = {[MODE_RUN] = "run", [MODE_ATTACH] = "attach"};

void cpu_affinity_text(const struct workload_spec *spec, char *text, size_t size)
{
	if (spec->cpu_affinity == CPUS_LISTS)
		snprintf(text, size, "server=%s,clients=%s", spec->server_cpus, spec->client_cpus);
	else
		snprintf(text, size, "%s", cpu_affinity_names[spec->cpu_affinity]);
}

const char *const spec_pattern_names[NR_PATTERNS] = {"push", "pingpong", "request", "connect",
						     "flood"};

bool spec_pattern_is_known(const char *pattern)
{
	for (size_t i = 0; i < NR_PATTERNS; i++) {
		if (!strcmp(pattern, spec_pattern_names[i]))
			return true;
	}
	return false;
}

bool spec_has_rounds(const struct workload_spec *spec)
{
	return !strcmp(spec->pattern, "push");
}

bool spec_has_calls(const struct workload_spec *spec)
{
	return !strcmp(spec->pattern, "pingpong") || !strcmp(spec->pattern, "request");
}

bool info_shows_connections(const struct run_info *info)
{
	return spec_has_connections(&info->workload) && info->traced && info->level != LEVEL_LIGHT;
}

bool spec_has_stamps(const struct workload_spec *spec)
{
	return spec->pattern[0] && strcmp(spec->pattern, "flood");
}

bool spec_has_connections(const struct workload_spec *spec)
{
	return !strcmp(spec->pattern, "connect");
}

bool spec_server_sends(const struct workload_spec *spec)
{
	return spec_has_rounds(spec) || spec_has_connections(spec);
}

bool spec_same(const struct workload_spec *a, const struct workload_spec *b)
{
	return !strcmp(a->transport, b->transport) && !strcmp(a->pattern, b->pattern) &&
	       a->clients == b->clients && a->messages == b->messages && a->warmup == b->warmup &&
	       a->period_ns == b->period_ns && a->size == b->size &&
	       !strcmp(a->handler, b->handler) && !strcmp(a->load, b->load) &&
	       a->threads == b->threads && a->reader == b->reader && a->read_size == b->read_size &&
	       a->sched_policy == b->sched_policy && a->server_priority == b->server_priority &&
	       a->client_priority == b->client_priority && a->cpu_affinity == b->cpu_affinity &&
	       !strcmp(a->server_cpus, b->server_cpus) && !strcmp(a->client_cpus, b->client_cpus);
}
