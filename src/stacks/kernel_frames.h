/* SPDX-License-Identifier: BSD-2-Clause */
/* Tells the kernel functions of a thread from those that have taken its stack. */
#pragma once

#include "bpf/record_stacks.h"

/*
 * How many of the innermost functions are not the thread's own work: those of the tracing programs,
 * and of the interrupt in which the stack was taken (STACK_RAN). `name[i]` NULL: not known.
 */
uint16_t frames_of_tracing(const char *const *name, uint16_t cnt, enum stack_kind kind);
