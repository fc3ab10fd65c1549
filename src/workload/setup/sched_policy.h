/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares functions that set the scheduling policy of a thread and explain failures, and that find
 * the CPUs for the server and the clients (--cpus) and pin threads to them.
 */
#pragma once

#include "model/spec.h"

#include <sched.h>
#include <stdbool.h>
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

struct process_cpus {
	bool pin_server;
	bool pin_clients;
	bool one_each; /* clients are spread over the CPUs of `clients` */
	cpu_set_t server;
	cpu_set_t clients;
};

/* From the spec and the CPUs that this process may use. 0 or -errno, logged. */
int cpu_affinity_find(struct process_cpus *cpus, const struct workload_spec *spec);

/* Pins the calling process: 0 is the server, else a client's number. 0 or -errno. */
int cpu_affinity_apply(const struct process_cpus *cpus, unsigned int process);
