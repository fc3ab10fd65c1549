/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks a spec and looks up the things that its words name. */
#ifndef IPCTRACE_WORKLOAD_MAKE_PLAN_H
#define IPCTRACE_WORKLOAD_MAKE_PLAN_H

#include "workload/plan.h"

/* 0 or -errno, logged with the value that can't be run. */
int plan_make(struct plan *plan, const struct workload_spec *spec);

#endif
