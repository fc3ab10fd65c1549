/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares options_parse(), which finds the command and fills in the options of the command. */
#pragma once

#include "cli/options.h"

/*
 * 0, or -EINVAL or -ENOMEM after one line on stderr. --help, --usage and --version print and exit
 * with 0. After success the caller frees `options` with options_free().
 */
int options_parse(int argc, char **argv, struct options *options);
void options_free(struct options *options);
