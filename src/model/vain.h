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
};
