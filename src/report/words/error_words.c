/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the words for errors of system calls. */
#include "report/words/error_words.h"

#include <string.h>

void error_words(struct paragraph *line, uint32_t error)
{
	const char *name = strerrorname_np((int)error);

	if (!error)
		paragraph_add(line, "other errors");
	else if (name)
		paragraph_add(line, "%s", name);
	else
		paragraph_add(line, "error %u", error);
}
