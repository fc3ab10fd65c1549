/* SPDX-License-Identifier: BSD-2-Clause */
#include "transport/transport.h"

#include <stdio.h>
#include <string.h>

/* A new transport is one file, its declaration in transport.h, and one line here. */
static const struct transport_ops *const transports[] = {
	&uds_transport,
};

#define NR_TRANSPORTS (sizeof(transports) / sizeof(transports[0]))

const struct transport_ops *transport_find(const char *name)
{
	for (size_t i = 0; i < NR_TRANSPORTS; i++)
		if (!strcmp(transports[i]->name, name))
			return transports[i];
	return NULL;
}

const char *transport_names(void)
{
	static char names[256];
	size_t used = 0;

	for (size_t i = 0; i < NR_TRANSPORTS && used < sizeof(names); i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", i ? ", " : "",
					 transports[i]->name);
	return names;
}
