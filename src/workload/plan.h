/* SPDX-License-Identifier: BSD-2-Clause */
/* A spec that has been checked and whose words have become things. The same in all processes. */
#ifndef IPCTRACE_WORKLOAD_PLAN_H
#define IPCTRACE_WORKLOAD_PLAN_H

#include "core/spec.h"
#include "transport/transport.h"
#include "workload/pattern.h"
#include "workload/placement.h"
#include "workload/privileges.h"

struct plan {
	struct workload_spec spec;
	const struct transport_ops *transport;
	const struct pattern *pattern;
	struct process_cpus cpus;
	struct identity identity;
};

/* 0 or -errno, logged with the value that can't be run. */
int plan_make(struct plan *plan, const struct workload_spec *spec);

#endif
