/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the figures of several runs, and what these share. */
#pragma once

#include "report/figure/sweep.h"
#include "report/words/rows.h"

extern const struct matrix_figure figure_over_clients;
extern const struct matrix_figure figure_over_size;
extern const struct matrix_figure figure_published;
extern const struct matrix_figure figure_runs;

/*
 * "uds, 64 bytes, load make": the settings in which runs differ, `set` of 1u << enum coordinate.
 * Without any, the transport.
 */
#define SETTINGS_LEN 160
void settings_words(const struct workload_spec *spec, unsigned int set, char words[SETTINGS_LEN]);

/* data- attributes of the settings of a run. */
void settings_data(const struct canvas *canvas, const struct row *row);
