/* SPDX-License-Identifier: BSD-2-Clause */
/* Which of the programs in bpf/ a trace needs on the kernel at hand. */
#ifndef IPCTRACE_TRACER_PROGRAMS_H
#define IPCTRACE_TRACER_PROGRAMS_H

#include "model/transport_names.h"
#include "tracer/kernel_traits.h"
#include "tracer/tracer_spec.h"

/* Of these, events of sockets alone tell all that matters: --level light. */
#define TRACE_LIGHT (TRANSPORTS_UNIX | TRANSPORTS_TCP)

/* Whether the program of this name is to be loaded. */
bool program_is_needed(const char *name, const struct tracer_spec *spec,
		       const struct kernel_traits *traits);

/* Whether it stands in for the programs before it, see bpf/base/preempt.bpf.h. */
bool program_is_twin(const char *name);

/*
 * Whether nothing is lost where the kernel skips it: in the middle of it, interrupts alone fire its
 * tracepoint, which is for what it has nothing to do with.
 */
bool program_misses_nothing(const char *name, const struct kernel_traits *traits);

/* Whether, of some data, no event but waking its receiver tells that it has become visible. */
bool programs_waking_tells(const struct tracer_spec *spec, const struct kernel_traits *traits);

#endif
