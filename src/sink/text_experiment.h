/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef IPCTRACE_SINK_TEXT_EXPERIMENT_H
#define IPCTRACE_SINK_TEXT_EXPERIMENT_H

#include "sink/rows.h"
#include "sink/text_layout.h"

#include <stdbool.h>

/*
 * The tables of a published experiment, in its own units and words, with the published figures
 * beside those of `rows`. False: there is no experiment of that name, and nothing was printed.
 */
bool text_experiment(const struct text *text, const char *name, const struct rows *rows);

#endif
