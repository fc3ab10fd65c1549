/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The time lines of threads: every change of state of every thread, in the order of time, put
 * together from RECEIVE and CHANGES records that may come in any order. Old changes are trimmed
 * away, and of very many threads those are forgotten that were quiet longest.
 */
#ifndef IPCTRACE_ANALYSIS_HISTORY_TIMELINE_H
#define IPCTRACE_ANALYSIS_HISTORY_TIMELINE_H

#include "bpf/record.h"

#include <stdbool.h>
#include <stddef.h>

struct change {
	uint64_t at_ns;
	uint64_t index : 46; /* among all changes of the thread: a jump means that some were lost, a
			      * 0 that a new thread has the number */
	uint64_t cpu : CHANGE_CPU_BITS; /* or a system call: see CHANGE_SLEEP_IN */
	uint64_t kind : 4;              /* enum change_kind */
};

/* Of one thread; filled in by timeline_of(), borrowed until the next call on its timelines. */
struct timeline {
	const struct change *change;
	size_t cnt;
	uint64_t open_ns; /* from here on, more may come in between; 0: all has been told of */
};

/* Kept per thread, more than come at once; older ones are dropped, which shows as a jump. */
#define TIMELINE_CHANGES_MAX (1u << 21)

struct timelines; /* of all threads */

struct timelines *timelines__new(void); /* NULL: out of memory */
void timelines__free(struct timelines *lines);

/* `change` are `cnt` packed changes, the first with index `first`, none younger than `base_ns`. */
int timelines__add(struct timelines *lines, uint32_t tid, const uint64_t *change, size_t cnt,
		   uint64_t first, uint64_t base_ns);

/* What threads told of before this instant has come; UINT64_MAX: everything has. */
void timelines__complete(struct timelines *lines, uint64_t before_ns);

/* Empty for an unknown thread. */
struct timeline timelines__of(struct timelines *lines, uint32_t tid);

/* How many changes are at or before `at_ns`: the index behind the last of them. */
size_t timeline_find(const struct timeline *line, uint64_t at_ns);

/* The same, for who knows that it is near the change with that index. */
size_t timeline_find_near(const struct timeline *line, uint64_t at_ns, uint64_t index);

/* When the last sleep that began in [from_ns, until_ns] was over; `from_ns`: there was none. */
uint64_t timeline_awake_ns(const struct timeline *line, uint64_t from_ns, uint64_t until_ns);

/* Whether it has fallen asleep after `from_ns`, by `until_ns`. */
bool timeline_slept(const struct timeline *line, uint64_t from_ns, uint64_t until_ns);

/* Changes that are kept, of all threads. */
size_t timelines__cnt(const struct timelines *lines);

/* Forgets what no interval from `horizon_ns` on needs: the change that holds at it is kept. */
void timelines__trim(struct timelines *lines, uint64_t horizon_ns);

/* Unpacks; `base_ns` is a time at or after the change and less than 2^46 ns after it. */
struct change change_unpack(uint64_t packed, uint64_t index, uint64_t base_ns);

/* The syscall that this change put the thread to sleep in; CALL_UNKNOWN if it is not recorded. */
uint16_t change_syscall(const struct change *change);

#endif
