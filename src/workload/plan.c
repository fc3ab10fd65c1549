/* SPDX-License-Identifier: BSD-2-Clause */
#include "workload/plan.h"
#include "log.h"
#include "workload/workload.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>

static int words_find(struct plan *plan)
{
	const struct workload_spec *spec = &plan->spec;

	plan->transport = transport_find(spec->transport);
	if (!plan->transport) {
		log_error("cannot run the workload: --transport %s: there is none of that name: "
			  "use %s",
			  spec->transport, transport_names());
		return -EINVAL;
	}
	plan->pattern = pattern_find(spec->pattern);
	if (!plan->pattern) {
		log_error("cannot run the workload: --pattern %s: there is none of that name: "
			  "use %s",
			  spec->pattern, workload_patterns());
		return -EINVAL;
	}
	return 0;
}

static int range_check(const char *option, uint64_t value, uint64_t least, uint64_t most)
{
	if (value >= least && value <= most)
		return 0;
	log_error("cannot run the workload: %s %" PRIu64 ": not from %" PRIu64 " to %" PRIu64
		  ": give a value in that range",
		  option, value, least, most);
	return -EINVAL;
}

static int size_check(const struct plan *plan)
{
	uint64_t size = plan->spec.size;
	uint64_t most = plan->transport->size_max();

	if (size < workload_message_min) {
		log_error("cannot run the workload: --size %" PRIu64 ": a message carries at least "
			  "%" PRIu64 " bytes: give that or more",
			  size, workload_message_min);
		return -EINVAL;
	}
	if (size > most) {
		log_error("cannot run the workload: --size %" PRIu64 ": %s lets at most %" PRIu64
			  " bytes through on this machine: give that or less",
			  size, plan->transport->name, most);
		return -EINVAL;
	}
	return 0;
}

static int numbers_check(const struct plan *plan)
{
	const struct workload_spec *spec = &plan->spec;
	/* Keeps the sum of both, and every due time, far from an overflow. */
	const uint64_t most = UINT64_MAX >> 8;
	int err = range_check("--clients", spec->clients, 1, CLIENTS_MAX);

	if (!err)
		err = range_check("--messages", spec->messages, 1, most);
	if (!err)
		err = range_check("--warmup", spec->warmup, 0, most);
	if (!err)
		err = range_check("--period (ns)", spec->period_ns, 1, most);
	if (!err)
		err = size_check(plan);
	return err;
}

static int priority_check(const char *option, int priority)
{
	int least = sched_get_priority_min(SCHED_RR);
	int most = sched_get_priority_max(SCHED_RR);

	if (priority >= least && priority <= most)
		return 0;
	log_error("cannot run the workload: %s %d: not from %d to %d: give a value in that range",
		  option, priority, least, most);
	return -EINVAL;
}

static int policy_check(const struct workload_spec *spec)
{
	int err;

	switch (spec->policy) {
	case POLICY_RR:
	case POLICY_FIFO:
		err = priority_check("--server-priority", spec->server_priority);
		return err ? err : priority_check("--client-priority", spec->client_priority);
	case POLICY_DEADLINE:
		if (spec->placement == CPUS_FREE)
			return 0;
		log_error("cannot run the workload: --policy deadline --cpus %s: the kernel keeps "
			  "SCHED_DEADLINE threads only if they may use all CPUs: use --cpus free",
			  placement_name(spec->placement));
		return -EINVAL;
	default:
		return 0;
	}
}

int plan_make(struct plan *plan, const struct workload_spec *spec)
{
	int err;

	*plan = (struct plan){.spec = *spec};
	err = words_find(plan);
	if (!err)
		err = numbers_check(plan);
	if (!err)
		err = policy_check(spec);
	if (!err)
		err = placement_find(&plan->cpus, spec);
	if (!err)
		err = privileges_find(&plan->identity);
	return err;
}
