/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares what figures of several runs share. */
#pragma once

#include "report/figure.h"
#include "report/words/rows.h"

/*
 * "uds, 64 bytes, load make": the settings in which runs differ, `set` of 1u << enum coordinate.
 * Without any, the transport.
 */
#define SETTINGS_LEN 160
void settings_words(const struct workload_spec *spec, unsigned int set, char words[SETTINGS_LEN]);

/* data- attributes of the settings of a run. */
void settings_data(const struct canvas *canvas, const struct row *row);
