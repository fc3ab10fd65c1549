/* SPDX-License-Identifier: BSD-2-Clause */
/* Defines the options that select messages. */
#pragma once

#include "explain/selection.h"

#include <stdbool.h>

/* Strings are borrowed from argv. */
struct select_options {
	struct selection selection; /* without `client` and `caller` */
	bool has_between;           /* --between was given */
	const char *around;  /* an instant, or a message: see select_around(); NULL: not given */
	const char *client;  /* a number, or a name: see select_client(); NULL: not given */
	const char *against; /* AGAINST_FILE: the path */
	bool has_unit;
	enum unit_kind unit;
	const char *is_for_figures; /* the name of an option that needs figures; NULL: none */
	const char *given;          /* the name of the last option of these; NULL: there is none */
};

/* --explain of commands that trace. */
struct explain_live_options {
	bool is_asked;
	struct select_options select; /* --slowest, and --slower-than of the output */
};
