/* SPDX-License-Identifier: BSD-2-Clause */
/* Turns a spec into a plan: checks it, and looks up what its words name. */
#ifndef IPCTRACE_WORKLOAD_MAKE_PLAN_H
#define IPCTRACE_WORKLOAD_MAKE_PLAN_H

#include "workload/plan.h"

/* 0 or -errno. A refused value is logged. */
int plan_make(struct plan *plan, const struct workload_spec *spec);

#endif
