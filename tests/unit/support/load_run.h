/* SPDX-License-Identifier: BSD-2-Clause */
/* A load of a test, which fails the test if it fails or leaves a process. */
#ifndef IPCTRACE_TESTS_LOAD_RUN_H
#define IPCTRACE_TESTS_LOAD_RUN_H

#include "load/load.h"

/* Found in the environment of all that a load has started here, and of nothing else. */
#define LOAD_MARKER "IPCTRACE_TEST_LOAD"

extern const struct caller load_as_we_are;

/* Where the commands of a test put what the test wants to know. */
extern char load_folder[];

void load_pause(void);

struct load *load_start(const char *text);

void load_assert_alive(struct load *load);

/* This process is a subreaper: whoever outlives a load's supervisor becomes its child. */
void load_assert_no_process_left(void);

void load_stop(struct load *load);

int load_prepare(void **state);

int load_clean_up(void **state);

#endif
