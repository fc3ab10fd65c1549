/* SPDX-License-Identifier: BSD-2-Clause */
/* Defines struct tracer_spec, the settings of a tracer. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tracer_spec {
	uint32_t transports; /* 1 << enum transport_id: only their tracepoints are attached */
	bool attach;         /* traces processes that run already, and their peers */
	bool from_workload;  /* the workload itself records its messages */
	bool no_syscalls;    /* no programs at syscalls; only for TRANSPORTS_LIGHT */
	bool deep;           /* also what only explanations need, see bpf/deep.h */
	bool ticks;          /* receivers have slept for long when a message arrives */
	bool short_lived;    /* there are many short-lived channels: forget the oldest */
	bool connections;    /* records how connections are opened */
	size_t ring_size;    /* bytes between two drains; rounded up */
	uint64_t stacks_ns;  /* stacks of so long times are taken; 0: none */
	const char *types;   /* a file of the kernel's types (BTF); NULL: the kernel's own */
};
