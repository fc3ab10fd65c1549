/* SPDX-License-Identifier: BSD-2-Clause */
/* What tracing does to the workload that is traced: --overhead. */
#ifndef IPCTRACE_COMMAND_OVERHEAD_H
#define IPCTRACE_COMMAND_OVERHEAD_H

#include "model/observer_effect.h"

struct run_setup;

/*
 * Makes short runs like the one of `setup`, traced and untraced in turns, shows none of them and
 * compares their latencies. 0 or -errno, logged. If it was interrupted, `effect` is not measured.
 */
int overhead_measure(const struct run_setup *setup, struct observer_effect *effect);

#endif
