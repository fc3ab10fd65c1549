/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares functions that select and describe BPF programs. */
#pragma once

#include "model/transport_names.h"
#include "tracer/kernel_traits.h"
#include "tracer/tracer_spec.h"

/* The transports for which socket events are enough: --level light. */
#define TRANSPORTS_LIGHT (TRANSPORTS_UNIX | TRANSPORTS_TCP)

bool program_is_needed(const char *name, const struct tracer_spec *spec,
		       const struct kernel_traits *traits);

/* Whether the program is a stand-in for the one before it, see bpf/base/preempt.bpf.h. */
bool program_is_twin(const char *name);

/*
 * Whether nothing is lost when the kernel skips the program because it is running already: only
 * interrupts fire its tracepoint then, for events that it ignores.
 */
bool program_misses_nothing(const char *name, const struct kernel_traits *traits);

/*
 * Whether, for some transport, the wakeup of the receiver is the only event that shows that data
 * became visible.
 */
bool programs_waking_shows_data(const struct tracer_spec *spec, const struct kernel_traits *traits);

/* Whether stacks are asked for, and the kernel can show them. */
bool programs_take_stacks(const struct tracer_spec *spec, const struct kernel_traits *traits);
