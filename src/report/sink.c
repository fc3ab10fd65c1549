/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/sinks.h"

#include <errno.h>
#include <string.h>

/* A new format is one line here and one in report_format_names(). */
static const struct report_format *const sinks[] = {
	&report_text,
	&report_json,
	&report_ndjson,
};

const struct report_format *report_format_find(const char *name)
{
	for (size_t i = 0; i < sizeof(sinks) / sizeof(sinks[0]); i++) {
		if (!strcmp(sinks[i]->name, name))
			return sinks[i];
	}
	return NULL;
}

const char *report_format_names(void)
{
	return "text, json, ndjson";
}

int report_flush(FILE *out)
{
	if (fflush(out))
		return -errno;
	return ferror(out) ? -EIO : 0;
}
