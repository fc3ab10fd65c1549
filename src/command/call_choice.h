/* SPDX-License-Identifier: BSD-2-Clause */
/* Passes on what the user says of calls. */
#pragma once

#include "cli/options.h"
#include "model/spec.h"

/* Options that were not given leave `info` as it is. */
void call_choice_describe(struct run_info *info, const struct call_options *calls);

/* Whether a recording can be reported with these options. 0 or -EINVAL (logged). */
int call_choice_check(const struct run_info *info, const struct call_options *calls);
