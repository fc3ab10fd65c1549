/* SPDX-License-Identifier: BSD-2-Clause */
/* What a session asks the tracer for. */
#ifndef IPCTRACE_TRACER_TRACER_SPEC_H
#define IPCTRACE_TRACER_TRACER_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is to be traced. */
struct tracer_spec {
	uint32_t transports; /* 1 << enum transport_id: only their tracepoints are attached */
	bool attach;         /* of programs that others have started, and of who talks to them */
	bool from_workload;  /* the workload itself tells of its messages */
	bool light;          /* without programs at system calls: TRACE_LIGHT only */
	bool ticks;          /* receivers have been asleep for long when a message comes */
	bool short_lived;    /* channels come and go by the thousand: forget the oldest */
	size_t ring_size;    /* bytes that may gather between two drains; rounded up */
	const char *types;   /* a file of the kernel's types (BTF); NULL: the kernel has them */
};

#endif
