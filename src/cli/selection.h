/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parses the options that select messages. They are the same in all commands, so that a selection
 * can be tried with one and used with another.
 */
#pragma once

#include "cli/option_table.h"
#include "cli/options.h"

/* The value of --slowest: "1%" or "50". Its `to` is a struct selection. */
option_set_fn set_slowest;

/* Takes over --slower-than and --unit, which are options of the output, too. */
void select_of_output(struct select_options *options, const struct output_options *output);

/*
 * The value of --around, which has been checked: sets either the message of `place`, or `*ns`, the
 * instant since the start of tracing.
 */
bool select_around(const struct select_options *options, struct selection *place, uint64_t *ns);

/*
 * Puts --client into the selection: in a run a number or a range of numbers, in an attach a
 * process. 0, or -EINVAL (logged).
 */
int select_client(const struct select_options *options, const struct run_info *info,
		  struct selection *selection);
