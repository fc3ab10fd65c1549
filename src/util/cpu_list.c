/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses lists of CPUs. */
#include "util/cpu_list.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

/* Reads one number and moves *text behind it. */
static int cpu_parse(const char **text, unsigned long *cpu)
{
	char *end;

	if (!isdigit((unsigned char)**text))
		return -EINVAL;
	*cpu = strtoul(*text, &end, 10);
	*text = end;
	return *cpu < CPU_SETSIZE ? 0 : -ERANGE;
}

int cpu_list_parse(const char *text, cpu_set_t *set)
{
	CPU_ZERO(set);
	for (;; text++) {
		unsigned long first, last;
		int err = cpu_parse(&text, &first);

		last = first;
		if (!err && *text == '-') {
			text++;
			err = cpu_parse(&text, &last);
		}
		if (err || last < first)
			return err ? err : -EINVAL;
		for (unsigned long cpu = first; cpu <= last; cpu++)
			CPU_SET(cpu, set);
		if (*text != ',')
			return *text ? -EINVAL : 0;
	}
}
