/* SPDX-License-Identifier: BSD-2-Clause */
/* Lets threads of a server get work, sleep and wake each other. */
#pragma once

#include "support/build.h"

#include "analysis/attach/calls/service_path.h"

#include <string.h>

enum { RECEIVER = 10, WORKER = 11, OTHER = 12 };

static struct work_log *work_log;
static struct timelines *lines;
static struct service_path path;
static uint64_t changes[3]; /* of each of these threads */

static inline int setup(void **state)
{
	work_log = work_log__new();
	lines = timelines__new();
	memset(changes, 0, sizeof(changes));
	return !work_log || !lines;
}

static inline int teardown(void **state)
{
	work_log__free(work_log);
	timelines__free(lines);
	return 0;
}

static inline void request(uint32_t tid, uint64_t at_ns, uint64_t number)
{
	const struct work work = {.source = WORK_REQUEST,
				  .is_request = true,
				  .got_ns = at_ns,
				  .parent = {.number = number, .tid = tid}};

	assert_int_equal(work_log__add(work_log, tid, &work), 0);
}

static inline void give(enum work_source source, uint32_t giver, uint64_t given_ns, uint32_t tid,
			uint64_t got_ns)
{
	const struct work work = {
		.source = source, .got_ns = got_ns, .given_ns = given_ns, .giver = giver};

	assert_int_equal(work_log__add(work_log, tid, &work), 0);
}

/* Out of a futex call; `place` as in struct work. */
static inline void wake_from(uint32_t place, uint32_t giver, uint32_t tid, uint64_t at_ns)
{
	const struct work work = {.source = WORK_WAKEUP,
				  .got_ns = at_ns,
				  .given_ns = at_ns,
				  .giver = giver,
				  .place = place};

	assert_int_equal(work_log__add(work_log, tid, &work), 0);
}

static inline void wake(uint32_t giver, uint32_t tid, uint64_t at_ns)
{
	wake_from(0, giver, tid, at_ns);
}

static inline void change(uint32_t tid, uint64_t at_ns, uint32_t cpu_or_call, enum change_kind kind)
{
	const uint64_t packed = change_pack(at_ns, cpu_or_call, kind);

	assert_int_equal(timelines__add(lines, tid, &packed, 1, changes[tid - RECEIVER]++, at_ns),
			 0);
}

/* `i`: the part, from 0 on. */
static inline void assert_part(uint32_t i, uint32_t tid, uint64_t from_ns, uint64_t to_ns)
{
	assert_true(i < path.cnt);
	assert_int_equal(path.part[i].tid, tid);
	assert_int_equal(path.part[i].from_ns, from_ns);
	assert_int_equal(path.part[i].to_ns, to_ns);
}

EACH_TEST(setup, teardown)
