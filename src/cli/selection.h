/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parses the options that select messages. They are the same in all commands, so that a selection
 * can be tried with one and used with another.
 */
#pragma once

#include "cli/options.h"
#include "cli/select_options.h"

#include <argp.h>

extern const struct argp select_argp;        /* of `explain`: all of them */
extern const struct argp report_select_argp; /* of `report`: which messages are shown */

/* The value of --slowest: "1%" or "50". 0, or EINVAL (logged). */
int select_slowest(const char *arg, struct selection *selection);

/* Takes over --slower-than and --unit, which are options of the output, too. */
void select_of_output(struct select_options *options, const struct output_options *output);

/*
 * The value of --around, which has been checked: sets either the message of `place`, or `*ns`, the
 * instant since the begin of tracing.
 */
bool select_around(const struct select_options *options, struct selection *place, uint64_t *ns);

/*
 * Puts --client into the selection: in a run a number or a range of numbers, in an attach a
 * process. 0, or -EINVAL (logged).
 */
int select_client(const struct select_options *options, const struct run_info *info,
		  struct selection *selection);
