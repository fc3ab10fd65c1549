/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines how formats of single messages write integers. A message has 30 of them, and printf()
 * takes ten times as long.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* of a number with its sign */
#define DIGITS_MAX 20

/*
 * Writes `number`, which is signed, so that it ends at `end`. Returns where it begins, at most
 * DIGITS_MAX bytes before `end`. There is no NUL.
 */
static inline char *digits_before(char *end, uint64_t number)
{
	bool is_negative = (int64_t)number < 0;

	if (is_negative)
		number = -number;
	do {
		*--end = '0' + number % 10;
		number /= 10;
	} while (number);
	if (is_negative)
		*--end = '-';
	return end;
}
