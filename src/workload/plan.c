/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes the plan of a workload from its spec (the user's options). Finds the transport, the
 * pattern and the handler by name, and refuses a workload that cannot run.
 */
#include "transport/transport.h"
#include "util/duration.h"
#include "util/log.h"
#include "workload/handler.h"
#include "workload/member/message.h"
#include "workload/pattern.h"
#include "workload/plan.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <string.h>

/* Bytes that an answer may always have, if the transport allows messages of that size. */
#define ANSWER_SIZE 4096

static int words_find(struct plan *plan)
{
	const struct workload_spec *spec = &plan->spec;

	plan->transport = transport_find(spec->transport);
	if (!plan->transport) {
		log_error("cannot run the workload: --transport '%s': there is no such transport: "
			  "use one of %s",
			  spec->transport, transport_names());
		return -EINVAL;
	}
	plan->pattern = pattern_find(spec->pattern);
	if (!plan->pattern) {
		log_error("cannot run the workload: --pattern '%s': there is no such pattern: "
			  "use one of %s",
			  spec->pattern, pattern_names());
		return -EINVAL;
	}
	return 0;
}

/* A handler for a pattern that ignores it is a mistake, and is refused. */
static int handler_check(struct plan *plan)
{
	const struct workload_spec *spec = &plan->spec;
	const char *argument;
	char why[256];

	if (!plan->pattern->handles) {
		if (!spec->handler[0])
			return 0;
		log_error("cannot run the workload: --handler '%s': pattern %s has no requests to "
			  "handle: use --pattern request, or leave --handler out",
			  spec->handler, plan->pattern->name);
		return -EINVAL;
	}
	plan->handler = handler_find(spec->handler[0] ? spec->handler : "echo", &argument, why,
				     sizeof(why));
	if (plan->handler)
		return 0;
	log_error("cannot run the workload: --handler '%s': %s", spec->handler, why);
	return -EINVAL;
}

/* Transport and pattern may each be valid and still not fit together. */
static int fit_check(const struct plan *plan)
{
	const struct transport_ops *transport = plan->transport;
	const struct pattern *pattern = plan->pattern;
	const char *why = transport->refuse ? transport->refuse(&plan->spec) : NULL;

	if (why) {
		log_error("cannot run the workload: --transport %s: %s", transport->name, why);
		return -EINVAL;
	}
	why = pattern->refuse ? pattern->refuse(plan) : NULL;
	if (!why && transport->kernel_sends && !pattern->can_be_kernel)
		why = "its sender is a timer of the kernel, which cannot receive: use "
		      "--pattern push, or another --transport";
	if (!why)
		return 0;
	log_error("cannot run the workload: --pattern %s over --transport %s: %s", pattern->name,
		  transport->name, why);
	return -EINVAL;
}

static int range_check(const char *option, uint64_t value, uint64_t least, uint64_t most)
{
	if (value >= least && value <= most)
		return 0;
	log_error("cannot run the workload: %s %" PRIu64
		  ": out of range: give a number from %" PRIu64 " to "
		  "%" PRIu64,
		  option, value, least, most);
	return -EINVAL;
}

static int period_check(const struct plan *plan, uint64_t most)
{
	uint64_t period_ns = plan->spec.period_ns;

	if (period_ns >= plan->pattern->needs_period && period_ns <= most)
		return 0;
	log_error("cannot run the workload: --period %s: out of range for pattern %s: give 1ns to "
		  "one day (1440m)",
		  DURATION(period_ns), plan->pattern->name);
	return -EINVAL;
}

static int size_check(const struct plan *plan)
{
	uint64_t size = plan->spec.size;
	uint64_t most = plan->transport->size_max();

	if (size < 1) {
		log_error("cannot run the workload: --size %" PRIu64 ": a message has at least 1 "
			  "byte: give that or more",
			  size);
		return -EINVAL;
	}
	if (plan->handler && plan->handler->lengthens && size <= sizeof(struct message_header)) {
		log_error("cannot run the workload: --size %" PRIu64 ": --handler %s works on "
			  "text, which begins after %zu bytes: give more than that",
			  size, plan->handler->name, sizeof(struct message_header));
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
	/* Keeps the sum of both numbers and every due time far from an overflow. */
	const uint64_t most = UINT64_MAX >> 8;
	int err = range_check("--clients", spec->clients, 1, CLIENTS_MAX);

	if (!err)
		err = range_check("--messages", spec->messages, 1, most);
	if (!err)
		err = range_check("--warmup", spec->warmup, 0, most);
	if (!err)
		err = period_check(plan, most);
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
	log_error("cannot run the workload: %s %d: out of range: give a number from %d to %d",
		  option, priority, least, most);
	return -EINVAL;
}

static int sched_policy_check(const struct workload_spec *spec)
{
	int err;

	switch (spec->sched_policy) {
	case POLICY_RR:
	case POLICY_FIFO:
		err = priority_check("--server-priority", spec->server_priority);
		return err ? err : priority_check("--client-priority", spec->client_priority);
	case POLICY_DEADLINE:
		if (!spec->period_ns) {
			log_error("cannot run the workload: --policy deadline: the kernel needs a "
				  "period for each deadline: give --period, or use --policy rr");
			return -EINVAL;
		}
		if (spec->cpu_affinity == CPUS_FREE)
			return 0;
		log_error("cannot run the workload: --policy deadline --cpus %s: the kernel keeps "
			  "SCHED_DEADLINE threads only if they may use all CPUs: use --cpus free",
			  cpu_affinity_names[spec->cpu_affinity]);
		return -EINVAL;
	default:
		return 0;
	}
}

/* An answer may be longer than its request. */
static size_t message_max(const struct plan *plan)
{
	size_t size = plan->spec.size, most = plan->transport->size_max();

	if (!plan->handler || !plan->handler->lengthens || size < sizeof(struct message_header))
		return size;
	if (most > ANSWER_SIZE)
		most = ANSWER_SIZE;
	return size > most ? size : most;
}

int plan_make(struct plan *plan, const struct workload_spec *spec)
{
	int err;

	*plan = (struct plan){.spec = *spec, .rounds = spec->warmup + spec->messages};
	err = words_find(plan);
	if (!err)
		err = handler_check(plan);
	if (!err)
		err = fit_check(plan);
	if (!err)
		err = numbers_check(plan);
	if (!err)
		err = sched_policy_check(spec);
	if (!err)
		err = cpu_affinity_find(&plan->cpus, spec);
	if (err)
		return err;
	plan->caller = caller_find();
	if (!plan->caller)
		return -EINVAL;
	plan->message_max = message_max(plan);
	/* One STAMP or TICK; with notes_handover also a SEND and a RECEIVE. */
	plan->notes = plan->transport->notes_handover ? 3 : 1;
	return 0;
}
