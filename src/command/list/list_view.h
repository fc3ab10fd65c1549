/* SPDX-License-Identifier: BSD-2-Clause */
/* A list with the output that it is written to. */
#ifndef IPCTRACE_COMMAND_LIST_LIST_VIEW_H
#define IPCTRACE_COMMAND_LIST_LIST_VIEW_H

#include "command/list/channel_list.h"

#include <stdio.h>

struct list_view {
	const struct channel_list *list;
	uint64_t hidden;       /* processes whose descriptors are not visible */
	bool within_namespace; /* of pids: processes outside are not visible */
	uint64_t unreached;    /* network namespaces whose sockets are missing */
	uint64_t refused;      /* ends and descriptors beyond the limits */
	FILE *out;             /* borrowed */
	int columns;           /* of the terminal; 0: no terminal, nothing is cut */
	bool color;
};

/* Both return 0 or -errno of the output. */
int list_text(const struct list_view *view);
int list_json(const struct list_view *view); /* "ipctrace.list/1"; also -ENOMEM */

#endif
