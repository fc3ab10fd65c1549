/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares functions for the run matrix, the list of all runs that a command line asks for. */
#pragma once

#include "cli/options.h"

#define RUN_MATRIX_MAX 10000

/*
 * Makes a run of every combination of the options' lists, or of the experiment's where an option
 * was not given. --runs repeats the whole sequence, so that slow changes of the machine fall on all
 * combinations alike. 0, -ENOMEM, or -EINVAL: the options contradict each other (logged). After
 * success the caller frees `matrix`.
 */
int run_matrix_make(const struct run_options *options, struct run_matrix *matrix);
void run_matrix_free(struct run_matrix *matrix);

/*
 * How much work a run is, for comparison with other runs that have a tick, or with others that have
 * none: nanoseconds, or messages.
 */
double run_work(const struct workload_spec *spec);
