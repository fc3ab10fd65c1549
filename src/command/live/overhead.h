/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares a function that measures how much tracing slows down a workload (observer effect). */
#pragma once

#include "model/observer_effect.h"

struct run_setup;

/*
 * Makes short runs like `setup`, alternately traced and untraced, and compares their latencies. The
 * runs are not reported. 0 or -errno (logged). After an interrupt `effect` has no measurement.
 */
int overhead_measure(const struct run_setup *setup, struct observer_effect *effect);
