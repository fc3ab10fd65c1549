/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds what ended the sleeps of threads (--level deep), and finds it by the instant at which a
 * sleep ended. WAKER records may be added in any order.
 */
#pragma once

#include "bpf/deep.h"
#include "bpf/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What woke a thread:
 *
 *	kind           what did it
 *	SLICE_TASK     thread `tid` by itself, or in softirq `number`, which it raised: a send over
 *	               a loopback device does that
 *	SLICE_IRQ      interrupt `number`, in whose way thread `tid` was
 *	SLICE_SOFTIRQ  softirq `number`, the same
 */
struct waker {
	enum slice_kind kind;
	bool from_interrupt; /* IRQ and SOFTIRQ: `tid` has nothing to do with it */
	bool is_unsure;      /* TASK: it may have been an interrupt that the kernel does not show;
			      * SOFTIRQ: it may have been raised by `tid` */
	uint32_t tid;        /* 0: the CPU was idle */
	uint32_t cpu;        /* where both were */
	uint32_t number;     /* by `kind`, or of a softirq that it raised; or WAKER_NUMBER_NONE */
	uint64_t at_ns;      /* the wakeup began */
};

struct wakers;

struct wakers *wakers__new(void); /* NULL: out of memory */
void wakers__free(struct wakers *wakers);

/* 0 or -ENOMEM. */
int wakers__add(struct wakers *wakers, const struct record_waker *record);

/*
 * What ended the sleep of thread `woken` that its change to CHANGE_WAKE or CHANGE_THROTTLE at
 * `wake_ns` ended. False: not recorded, or lost.
 */
bool wakers__find(struct wakers *wakers, uint32_t woken, uint64_t wake_ns, struct waker *waker);

/* How many wakeups of all threads are kept. */
size_t wakers__cnt(const struct wakers *wakers);

/* Forgets the wakeups before `horizon_ns`. */
void wakers__trim(struct wakers *wakers, uint64_t horizon_ns);
