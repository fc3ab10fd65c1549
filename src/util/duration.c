/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes durations for people, in reports and in messages. */
#include "util/duration.h"

#include <stddef.h>
#include <stdio.h>

const char *duration_text(uint64_t ns, char text[DURATION_LEN])
{
	static const struct {
		double ns;
		const char *unit;
	} units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};
	size_t i = 0;

	while (i < 3 && (double)ns < units[i].ns)
		i++;
	snprintf(text, DURATION_LEN, "%.6g %s", (double)ns / units[i].ns, units[i].unit);
	return text;
}
