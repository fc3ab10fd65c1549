/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of the system calls that threads sleep in. */
#ifndef IPCTRACE_REPORT_SYSCALL_NAME_H
#define IPCTRACE_REPORT_SYSCALL_NAME_H

#include "model/blocked_calls.h"
#include "report/labels.h"

/*
 * The name of what a thread slept in: "futex"; "call 468" for a number without a known name; "no
 * call" for CALL_OUTSIDE. `arch` is the traced machine's, as uname says it.
 */
void syscall_name(const char *arch, uint16_t number, char name[NAME_LEN]);

#endif
