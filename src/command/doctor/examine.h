/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares functions that examine the machine for `ipctrace doctor`. Each function examines one
 * area, and adds findings to the diagnosis. The parameter `root` is a prefix for every path.
 * `root` is "" except in tests, which pass a folder of prepared files.
 */
#pragma once

#include "command/doctor/diagnosis.h"
#include "util/read_file.h"

typedef void examine_fn(const char *root, struct diagnosis *diagnosis);

examine_fn examine_capabilities;
examine_fn examine_pid_namespace;
examine_fn examine_lockdown;
examine_fn examine_configuration;
examine_fn examine_preemption;
examine_fn examine_realtime;
examine_fn examine_clock;
examine_fn examine_bpf_limits;
examine_fn examine_tracefs;
examine_fn examine_sockets;
examine_fn examine_queues;

/* The components that are missing if nothing can be traced. */
#define COMPONENTS_ALL (COMPONENT_BIT(NR_COMPONENTS) - 1)
