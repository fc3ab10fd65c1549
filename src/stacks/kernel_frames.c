/* SPDX-License-Identifier: BSD-2-Clause */
/* Knows the names of the kernel's functions around a tracing program. */
#include "stacks/kernel_frames.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/*
 * A program that takes the stack of the current thread is on it, and what has called the program.
 */
static const char *const of_programs[] = {"bpf_", "__bpf_", "__traceiter_", NULL};

/* Where an interrupt begins, on x86-64 and on arm64, in the names of all kernels from 5.10 on. */
static const char *const entries[] = {
	"asm_sysvec_", "asm_common_interrupt", "el1h_64_irq", "el0t_64_irq", "el1_irq", "el0_irq",
	NULL};

static bool kernel_frames_begins_with_any(const char *name, const char *const *begin)
{
	for (; name && *begin; begin++) {
		if (!strncmp(name, *begin, strlen(*begin)))
			return true;
	}
	return false;
}

/* Several functions of arm64 stand for one entry: the outermost counts. 0: there is no entry. */
static uint16_t end_of_entry(const char *const *name, uint16_t cnt)
{
	uint16_t i = 0;

	while (i < cnt && !kernel_frames_begins_with_any(name[i], entries))
		i++;
	if (i == cnt)
		return 0;
	while (i < cnt && kernel_frames_begins_with_any(name[i], entries))
		i++;
	return i;
}

uint16_t frames_of_tracing(const char *const *name, uint16_t cnt, enum stack_kind kind)
{
	uint16_t from = kind == STACK_RAN ? end_of_entry(name, cnt) : 0;

	while (from < cnt && kernel_frames_begins_with_any(name[from], of_programs))
		from++;
	return from;
}
