/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses --explain of commands that trace: their report then says why slow messages were slow. */
#pragma once

#include "cli/select_options.h"

#include <argp.h>

struct output_options;

/* For commands that trace. */
extern const struct argp explain_live_argp;

/*
 * Checks the options against the others. `record`: the file of --record, or NULL. 0, or EINVAL
 * (logged).
 */
int explain_live_finish(struct explain_live_options *options, const struct output_options *output,
			const char *record);
