/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares a parser for lists of CPUs. */
#pragma once

#include <sched.h>

/*
 * Parses the kernel's list format: numbers and ranges, separated by commas, such as "0-2,5". 0;
 * -EINVAL: it is no such list; -ERANGE: no machine has that many CPUs.
 */
int cpu_list_parse(const char *text, cpu_set_t *set);
