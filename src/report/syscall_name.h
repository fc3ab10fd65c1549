/* SPDX-License-Identifier: BSD-2-Clause */
/* What a thread slept in, in words. */
#ifndef IPCTRACE_REPORT_SYSCALL_NAME_H
#define IPCTRACE_REPORT_SYSCALL_NAME_H

#include "model/blocked_calls.h"
#include "report/labels.h"

/*
 * "futex", "epoll_wait"; "call 468" for one that has no name here, "no call" for a sleep outside of
 * calls. `arch` is that of the machine that was traced: its numbers are its own.
 */
void call_name(const char *arch, uint16_t call, char name[NAME_LEN]);

#endif
