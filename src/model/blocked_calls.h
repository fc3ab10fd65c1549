/* SPDX-License-Identifier: BSD-2-Clause */
/* What threads slept in, and for how long in all. */
#ifndef IPCTRACE_MODEL_BLOCKED_CALLS_H
#define IPCTRACE_MODEL_BLOCKED_CALLS_H

#include "model/message.h"

/* Different calls that are told apart; the least of further ones are added up as CALL_OTHERS. */
#define BLOCKED_CALLS_MAX 16

/* Besides the number of a system call and CALL_OUTSIDE (bpf/record.h). */
#define CALL_UNKNOWN UINT16_MAX
#define CALL_OTHERS  (UINT16_MAX - 1)

struct blocked_call {
	uint16_t call; /* a system call of the machine that was traced, or CALL_ */
	uint64_t ns;
	uint64_t cnt; /* messages, or services, that it was a part of */
};

/* Zero-initialised is empty. */
struct blocked_calls {
	struct blocked_call wait[BLOCKED_CALLS_MAX];
	uint32_t cnt;
};

void blocked_calls_add(struct blocked_calls *waits, uint16_t call, uint64_t ns, uint64_t cnt);

/* All of `one` message or service: each of its calls is a part of one more. */
void blocked_calls_merge(struct blocked_calls *waits, const struct blocked_calls *one);

/* What COMPONENT_BLOCKED of a message was spent in. */
void blocked_calls_of_message(const struct message *message, struct blocked_calls *waits);

/* Longest first. */
void blocked_calls_sort(struct blocked_calls *waits);

uint64_t blocked_calls_ns(const struct blocked_calls *waits);

#endif
