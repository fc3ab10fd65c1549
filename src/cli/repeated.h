/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks options that are given more than once. The option table decides what a second value means:
 * the values add up, or the second one is refused. No value is ignored. Equal values are one.
 */
#pragma once

#include <argp.h>

/* Flags of an option beside those of argp, which uses the lowest bits. */
#define OPTION_ADDS_UP 0x1000 /* all of its values count, together */
#define OPTION_ENDS    0x2000 /* prints something and ends the program */

/*
 * `argv` is that of argp_parse(): its first word is the program. An unknown option ends the check,
 * as argp refuses it. 0, ENOMEM, or EINVAL (logged).
 */
int repeated_check(const struct argp *argp, int argc, char **argv);
