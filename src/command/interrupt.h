/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ^C and its relatives. The first one asks the workload to end, and the report follows; the second
 * one means: leave at once, restoring everything. The only global state of the program, because a
 * signal handler has no other.
 */
#ifndef IPCTRACE_COMMAND_INTERRUPT_H
#define IPCTRACE_COMMAND_INTERRUPT_H

#include <stdbool.h>
#include <stdint.h>

struct workload;

/* SIGINT, SIGTERM and SIGHUP interrupt; SIGCHLD ends a sleep; SIGPIPE is ignored. */
void interrupt_setup(void);

/* Whom the first interrupt stops from now on; NULL: nobody. Also if it has come already. */
void interrupt_watch(struct workload *workload);

bool interrupt_happened(void);
bool interrupt_is_second(void);

/* Which signal the first one was; 0: there was none. */
int interrupt_signal(void);

/* Sleeps, until one of these signals at most. */
void interrupt_sleep(uint64_t ns);

#endif
