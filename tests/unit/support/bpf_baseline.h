/* SPDX-License-Identifier: BSD-2-Clause */
/* bpf/attach/baseline.bpf.h in user space: one channel, a clock, and the last BASELINE record. */
#pragma once

#include "support/build.h"

#include <string.h>

/* What bpf/base/channel.bpf.h and its includes provide, for one channel. Its guard keeps it out. */
#define IPCTRACE_BPF_BASE_CHANNEL_H
#undef __always_inline
#define VERIFIED_ONCE         static
#define OUT_OF_LINE           static
#define __always_inline       inline __attribute__((unused))
#define S64_MAX               ((s64)(~0ULL >> 1))
#define NO_HINT               (-S64_MAX)
#define FETCH_ADD(pointer, n) __sync_fetch_and_add(pointer, n)
#define READ_LATER(pointer)   FETCH_ADD(pointer, 0)
#define barrier_var(name)     __asm__ volatile("" : "+r"(name))

typedef int64_t s64;

#include "bpf/base/state.bpf.h"

static const bool by_syscalls;
static uint64_t now_ns;
static struct record_baseline emitted; /* the last one */
static size_t emitted_cnt;

static u64 bpf_ktime_get_ns(void)
{
	return now_ns;
}

static u32 bpf_get_smp_processor_id(void)
{
	return 0;
}

static u32 first_user_tid(void)
{
	return 0;
}

static void emit(const struct record_baseline *baseline, u64 size)
{
	assert_int_equal(size, sizeof(*baseline));
	emitted = *baseline;
	emitted_cnt++;
}

#include "bpf/attach/baseline.bpf.h"

enum { A = 1, B, C, SENDERS_MAX = 4 };
enum { READER = 11, READERS_MAX = 3 };

static struct channel_state channel;
static s64 waiting; /* messages, with the leftover */

static void begin(s64 leftover)
{
	channel =
		(struct channel_state){.id = 7, .baseline.most = S64_MAX, .baseline.hint = NO_HINT};
	waiting = leftover;
	now_ns = 1000000;
	emitted_cnt = 0;
}

static uint64_t pass(uint64_t ns)
{
	return now_ns += ns;
}

static void assert_emitted(uint64_t leftover)
{
	assert_int_equal(emitted_cnt, 1);
	assert_int_equal(emitted.channel, 7);
	assert_int_equal(emitted.leftover, leftover);
	assert_int_equal(channel.baseline.is_known, 1);
}
