/* SPDX-License-Identifier: BSD-2-Clause */
/* A history of CPUs by hand, and what its shares have to be. */
#pragma once

#include "support/build.h"

#include "analysis/history/cpu_slices.h"
#include "container/step_limit.h"

static struct cpu_shares shares; /* too large for the stack */

static inline void add(struct cpu_slices *history, struct record_slice slice)
{
	assert_int_equal(cpu_slices__add(history, &slice), 0);
}

/* Shares are contiguous and cover [from, to] whatever happens. */
static inline void cut_since(struct cpu_slices *history, uint32_t cpu, uint64_t began_ns,
			     uint64_t from_ns, uint64_t to_ns)
{
	const struct cpu_wait wait = {.cpu = cpu,
				      .held_kind = SHARE_THROTTLED,
				      .began_ns = began_ns,
				      .from_ns = from_ns,
				      .to_ns = to_ns};
	uint64_t at_ns = from_ns;

	cpu_slices__cut(history, &wait, &shares);
	for (uint32_t i = 0; i < shares.cnt; i++) {
		assert_int_equal(shares.share[i].from_ns, at_ns);
		assert_true(shares.share[i].to_ns > at_ns);
		at_ns = shares.share[i].to_ns;
	}
	assert_int_equal(at_ns, to_ns);
}

static inline void cut(struct cpu_slices *history, uint32_t cpu, uint64_t from_ns, uint64_t to_ns)
{
	cut_since(history, cpu, from_ns, from_ns, to_ns);
}

static inline void assert_share(uint32_t i, uint64_t to_ns, uint32_t kind, uint32_t id)
{
	assert_true(i < shares.cnt);
	assert_int_equal(shares.share[i].to_ns, to_ns);
	assert_int_equal(shares.share[i].kind, kind);
	assert_int_equal(shares.share[i].id, id);
}

EACH_TEST_HAS(*state, cpu_slices__new(), cpu_slices__free)
