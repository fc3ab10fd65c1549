/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines a list of the system calls in which threads were blocked. An entry has a system call,
 * the blocked time, and the number of delayed messages or requests.
 */
#pragma once

#include "model/message.h"

/* Entries of one list; further syscalls are added up as CALL_OTHERS. */
#define BLOCKED_CALLS_MAX 16

/* Besides the numbers of syscalls, CALL_OUTSIDE and CALL_STOPPED (bpf/record.h). */
#define CALL_UNKNOWN UINT16_MAX
#define CALL_OTHERS  (UINT16_MAX - 1)

struct blocked_call {
	uint16_t call; /* a syscall number of the traced machine, or CALL_ */
	uint64_t ns;
	uint64_t cnt; /* messages, or services, with this syscall */
};

/* Zero-initialised is empty. */
struct blocked_calls {
	struct blocked_call entry[BLOCKED_CALLS_MAX];
	uint32_t cnt;
};

void blocked_calls_add(struct blocked_calls *blocked, uint16_t call, uint64_t ns, uint64_t cnt);

/* Adds the list of one message or service. */
void blocked_calls_merge(struct blocked_calls *blocked, const struct blocked_calls *one);

/* Fills in the syscalls of the message's COMPONENT_BLOCKED. */
void blocked_calls_of_message(const struct message *message, struct blocked_calls *blocked);

/* Longest first. */
void blocked_calls_sort(struct blocked_calls *blocked);

/* Whether a sorted list has most time for threads that were stopped. */
bool blocked_calls_is_stopped(const struct blocked_calls *blocked);

uint64_t blocked_calls_ns(const struct blocked_calls *blocked);
