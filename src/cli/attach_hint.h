/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Options of `attach` that users give to other commands. They are in no help: each is refused with
 * the command line that does what is meant.
 */
#pragma once

#include <argp.h>

/* All of them, and those that `list` does not have itself. No input. */
extern const struct argp attach_hint_argp;
extern const struct argp list_hint_argp;
