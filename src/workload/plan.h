/* SPDX-License-Identifier: BSD-2-Clause */
/* A spec that has been checked and whose words have become things. The same in all processes. */
#ifndef IPCTRACE_WORKLOAD_PLAN_H
#define IPCTRACE_WORKLOAD_PLAN_H

#include "model/spec.h"
#include "transport/transport.h"
#include "util/caller.h"
#include "workload/handler.h"
#include "workload/pattern.h"
#include "workload/setup/cpu_affinity.h"

#include <stddef.h>
#include <stdint.h>

struct plan {
	struct workload_spec spec;
	const struct transport_ops *transport;
	const struct pattern *pattern;
	const struct handler_ops *handler; /* NULL: the pattern has none */
	struct process_cpus cpus;
	const struct caller *caller; /* the workload's user */
	uint64_t rounds;             /* messages per client and way, warm-up included */
	size_t message_max;          /* bytes of the largest message, whichever way */
	uint64_t notes; /* records that one side makes of one exchange or round, at most */
};

/* What stands behind the = of spec.handler; NULL: nothing. In the plan. */
const char *plan_handler_argument(const struct plan *plan);

#endif
