/* SPDX-License-Identifier: BSD-2-Clause */
/* Remembers when each thread received last, and walks through its time line from there. */
#include "analysis/statistics/loop_times.h"

#include "container/lru_table.h"
#include "analysis/history/stretches.h"

#include <errno.h>

struct loop {
	uint32_t id; /* tid */
	uint32_t used;
	uint64_t recv_ns; /* the youngest receive */
	UT_hash_handle hh;
};

struct loop_times {
	LRU_TABLE(struct loop);
};

struct loop_times *loop_times__new(void)
{
	return calloc(1, sizeof(struct loop_times));
}

void loop_times__free(struct loop_times *loops)
{
	while (loops && loops->first)
		LRU_DROP(loops, loops->first);
	free(loops);
}

/* Adds nothing if a change is missing. */
static void add_known(const struct timeline *line, uint64_t from_ns, uint64_t to_ns,
		      struct loop_time *sum)
{
	struct stretch_walk walk = stretch_walk(line, from_ns, to_ns);
	struct stretch stretch;
	uint64_t asleep_ns = 0;

	while (stretch_next(&walk, &stretch)) {
		if (stretch.state == STATE_UNKNOWN)
			return;
		if (state_is_asleep(stretch.state))
			asleep_ns += stretch.to_ns - stretch.from_ns;
	}
	sum->known_ns += to_ns - from_ns;
	sum->asleep_ns += asleep_ns;
}

int loop_times__add(struct loop_times *loops, uint32_t tid, uint64_t recv_ns,
		    const struct timeline *line, struct loop_time *sum)
{
	struct loop *loop;

	LRU_FIND_OR_ADD(loops, tid, loop, LRU_THREADS_MAX, LRU_DROP);
	if (!loop)
		return -ENOMEM;
	if (loop->recv_ns && recv_ns > loop->recv_ns) {
		sum->ns += recv_ns - loop->recv_ns;
		add_known(line, loop->recv_ns, recv_ns, sum);
	}
	if (recv_ns > loop->recv_ns)
		loop->recv_ns = recv_ns;
	return 0;
}
