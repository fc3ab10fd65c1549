/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Handles SIGINT (^C), SIGTERM and SIGHUP. The first interrupt asks the workload to end, and the
 * report follows. The second interrupt ends the program at once, after everything is restored. The
 * state is global, because a signal handler has no parameters for it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct workload;

/* Installs the handlers. SIGCHLD ends a sleep, SIGPIPE is ignored. */
void interrupt_setup(void);

/* The first interrupt stops this workload, also if it has happened already. NULL: no workload. */
void interrupt_watch(struct workload *workload);

bool interrupt_happened(void);
bool interrupt_is_second(void);

/* The signal of the first interrupt. 0: there was none. */
int interrupt_signal(void);

/* Sleeps. Any of these signals ends the sleep early. */
void interrupt_sleep(uint64_t ns);
