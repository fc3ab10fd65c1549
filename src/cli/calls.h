/* SPDX-License-Identifier: BSD-2-Clause */
/* Options that say how the calls of an attach are found. A call is a request with its answer. */
#pragma once

#include "model/spec.h"

#include <argp.h>
#include <stdbool.h>

struct call_options {
	bool in_turn;               /* answers come in the order of requests */
	char server[SPEC_TEXT_LEN]; /* numbers and globs, between commas: these serve; empty: not
				       given */
	char client[SPEC_TEXT_LEN]; /* the same: these call */
};

/* For an attach; its input is struct call_options. */
extern const struct argp call_argp;

/* For reports of an attach. Without --client, which says no more than --server. */
extern const struct argp report_call_argp;
