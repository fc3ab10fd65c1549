/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes maps small that a session does not need: preallocated ones take milliseconds to make. */
#pragma once

#include "tracer/kernel_traits.h"
#include "tracer/tracer_spec.h"

#include <stdbool.h>

struct bpf_object;

/* Before the object is loaded. */
void map_sizes_shrink(struct bpf_object *object, const struct tracer_spec *spec,
		      const struct kernel_traits *traits, bool takes_stacks);
