/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares functions that print --help and --version. argp sorts the options of its own help by
 * name. This help keeps the order of the option tables, which is the order of use.
 *
 * The text of an option has one line, and a further line "VALUE\tMEANING" for each value that the
 * option accepts. The text is wrapped. The text of the command before and after the options is
 * printed as it is.
 */
#pragma once

#include "cli/option_table.h"

/* `name` is the program's name with the command, as in "ipctrace attach". */
void help_print(const struct command_syntax *syntax, const char *name, FILE *out);

void help_print_version(FILE *out);
