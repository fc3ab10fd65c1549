/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares functions that find CPUs for the server and the clients, and pin threads. */
#pragma once

#include "model/spec.h"

#include <sched.h>
#include <stdbool.h>

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
