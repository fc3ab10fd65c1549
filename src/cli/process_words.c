/* SPDX-License-Identifier: BSD-2-Clause */
/* Joins names and numbers of processes by commas, as a recording keeps them. */
#include "cli/process_words.h"

#include "util/log.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int add_process(const char *option, const char *arg, char text[SPEC_TEXT_LEN])
{
	size_t length = strlen(text);

	if (!arg[0] || length + 1 + strlen(arg) >= SPEC_TEXT_LEN) {
		log_error("--%s: '%s': %s", option, arg,
			  arg[0] ? "all names of this option are too long: use a pattern"
				 : "not a name of a process: give a name, a glob or a PID");
		return EINVAL;
	}
	snprintf(text + length, SPEC_TEXT_LEN - length, "%s%s", length ? "," : "", arg);
	return 0;
}
