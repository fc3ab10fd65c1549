/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines a plan, the checked description of a workload. All processes of a workload have the same
 * plan.
 */
#pragma once

#include "model/spec.h"
#include "transport/transport.h"
#include "util/caller.h"
#include "util/ring_gauge.h"
#include "workload/handler.h"
#include "workload/pattern.h"
#include "workload/setup/sched_policy.h"

#include <stddef.h>
#include <stdint.h>

struct plan {
	struct workload_spec spec;
	const struct transport_ops *transport;
	const struct pattern *pattern;
	const struct handler_ops *handler; /* NULL: the pattern has none */
	struct process_cpus cpus;
	const struct caller *caller; /* the user that the workload runs as */
	uint64_t rounds;             /* messages per client and direction, warm-up included */
	size_t message_max;          /* bytes of the largest message in any direction */
	uint64_t notes; /* records that one side writes for one exchange or round, at most */
	struct ring_gauge ring; /* of the kernel's records; size 0: not traced */
	uint64_t ring_bytes;    /* of them, for one exchange of a client or its part of a round */
};

/* Checks a spec and looks up what its words name. 0 or -errno. A refused value is logged. */
int plan_make(struct plan *plan, const struct workload_spec *spec);
