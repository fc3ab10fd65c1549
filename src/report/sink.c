/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/sinks.h"

#include <errno.h>
#include <string.h>

/* A new format is one line here and one in sink_names(). */
static const struct sink_ops *const sinks[] = {
	&sink_text,
	&sink_json,
	&sink_ndjson,
};

const struct sink_ops *sink_find(const char *name)
{
	for (size_t i = 0; i < sizeof(sinks) / sizeof(sinks[0]); i++) {
		if (!strcmp(sinks[i]->name, name))
			return sinks[i];
	}
	return NULL;
}

const char *sink_names(void)
{
	return "text, json, ndjson";
}

int sink_flush(FILE *out)
{
	if (fflush(out))
		return -errno;
	return ferror(out) ? -EIO : 0;
}
