/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cuts what a thread does in the kernel further (--level deep): its waits for locks of the kernel,
 * its system calls, the time in which it frees memory, its page faults, and its waits for disks.
 */
#pragma once

#include "analysis/causes/cutter.h"

/* Hands out a piece in which the thread itself ran. */
void kernel_cut_running(const struct cut *cut, const struct piece *piece);

/* Gives the piece the reason REASON_KERNEL_, and the function. */
void kernel_cut_note_lock(struct piece *piece, const struct lock_span *lock);

/* Hands out a sleep, or what is left of it: it began at `began_ns`; 0: not known. */
void kernel_cut_sleep(const struct cut *cut, const struct piece *piece, uint64_t began_ns);
