/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares a function that decides where a line of text may end. */
#pragma once

#include <stddef.h>

/*
 * How many bytes of `rest` go on a line of `room` columns: at least one. A line ends before a
 * space, and if possible not between a number and its unit, or after a word such as "pid". Only a
 * word that is longer than the line is cut.
 */
size_t line_length(const char *rest, int room);
