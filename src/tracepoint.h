/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which tracepoints a kernel has, as its types (BTF) tell, and how it runs programs there. Asks for
 * what is there and never for a version: distributions carry changes back.
 */
#ifndef IPCTRACE_TRACEPOINT_H
#define IPCTRACE_TRACEPOINT_H

#include <stdbool.h>

struct btf;

/*
 * Whether there is a tracepoint of this name. Tests can pretend that there is none, by the
 * environment: IPCTRACE_WITHOUT=name[,name].
 */
bool tracepoint_is_there(const struct btf *types, const char *name);

/* Whether a thread can be preempted in the middle of a program at a tracepoint (Linux 7.0). */
bool tracepoints_preempt(const struct btf *types);

#endif
