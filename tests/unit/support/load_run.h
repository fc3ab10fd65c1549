/* SPDX-License-Identifier: BSD-2-Clause */
/* Starts and stops a load for a test. The test fails if the load fails or leaves a process. */
#pragma once

#include "load/load.h"

/* Set in the environment of every process that a load of this test has started. */
#define LOAD_MARKER "IPCTRACE_TEST_LOAD"

extern const struct caller load_as_we_are;

/* Where the commands of a test write their results. */
extern char load_folder[];

void load_pause(void);

struct load *load_start(const char *text);

void load_assert_alive(struct load *load);

/* This process is a subreaper: a process that outlives the load's supervisor becomes its child. */
void load_assert_no_process_left(void);

void load_stop(struct load *load);

int load_prepare(void **state);

int load_clean_up(void **state);
