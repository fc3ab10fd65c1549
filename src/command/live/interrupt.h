/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the handling of SIGINT (^C), SIGTERM and SIGHUP. The first signal ends tracing, and the
 * report follows. The second signal ends `ipctrace run` without a report. After the first signal,
 * `ipctrace attach -- COMMAND` waits until COMMAND has exited. The second signal ends this wait.
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
