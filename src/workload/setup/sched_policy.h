/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares functions that set the scheduling policy of a thread, and explain failures. */
#pragma once

#include "model/spec.h"

#include <stddef.h>

enum policy_role { POLICY_SENDER, POLICY_CLIENT, POLICY_CONTROL };

/*
 * Applies to the calling thread. 0 or -errno. POLICY_CONTROL needs no privilege in a thread that a
 * POLICY_SENDER thread has created.
 */
int sched_policy_apply(const struct workload_spec *spec, enum policy_role role);

/* "SCHED_RR priority 99" into `text`. */
void sched_policy_text(const struct workload_spec *spec, enum policy_role role, char *text,
		       size_t size);

/* What to do about an error of sched_policy_apply(). */
const char *sched_policy_remedy(const struct workload_spec *spec, int err);
