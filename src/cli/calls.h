/* SPDX-License-Identifier: BSD-2-Clause */
/* Options that say how the calls of an attach are found. A call is a request with its answer. */
#pragma once

#include <argp.h>
#include <stdbool.h>

struct call_options {
	bool in_turn;       /* answers come in the order of requests */
	const char *server; /* a glob of names, or a pid: this process serves; NULL: not given */
	const char *client; /* the same: this one calls */
};

/* For an attach; its input is struct call_options. */
extern const struct argp call_argp;

/* For reports of an attach. Without --client, which says no more than --server. */
extern const struct argp report_call_argp;
