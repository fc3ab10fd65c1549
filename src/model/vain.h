/* SPDX-License-Identifier: BSD-2-Clause */
/* Defines what a unit wastes: wakes of threads that found nothing. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* What the sender or client of a unit woke in vain by it, and by the connect() before it. */
struct unit_vain {
	uint32_t wakes;
	uint32_t call;   /* the system call that found nothing; */
	bool in_poll;    /* it did so within the kernel, again and again */
	uint64_t cpu_ns; /* until the threads slept again */
	bool in_futex;   /* they slept for the same futex word, and made no other calls */
};

/* Adds further wakes. What the program sees says more than what only the kernel does. */
static inline void unit_vain_add(struct unit_vain *vain, const struct unit_vain *more)
{
	if (more->wakes && (!vain->wakes || (vain->in_poll && !more->in_poll))) {
		vain->call = more->call;
		vain->in_poll = more->in_poll;
		vain->in_futex = more->in_futex;
	}
	vain->wakes += more->wakes;
	vain->cpu_ns += more->cpu_ns;
}
