/* SPDX-License-Identifier: BSD-2-Clause */
/* What a command line comes to: one workload after the other. Pure, but for errors, logged here. */
#ifndef IPCTRACE_CLI_RUN_MATRIX_H
#define IPCTRACE_CLI_RUN_MATRIX_H

#include "cli/options.h"

#define RUN_MATRIX_MAX 10000

/*
 * Every combination of the options' lists, or of the experiment's where an option was not given.
 * Several runs come one after the other over all cells, so that what changes on the machine in the
 * course of time is shared by all. 0, -ENOMEM, or -EINVAL: the options contradict each other.
 * `cells` is to be freed after success.
 */
int run_matrix_make(const struct run_options *options, struct run_matrix *cells);
void run_matrix_free(struct run_matrix *cells);

/*
 * How much work a cell is, to compare it with others that have a tick, or with others that have
 * none: nanoseconds, or messages.
 */
double cell_work(const struct workload_spec *spec);

#endif
