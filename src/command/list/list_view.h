/* SPDX-License-Identifier: BSD-2-Clause */
/* What is shown of a list, and how. */
#ifndef IPCTRACE_COMMAND_LIST_LIST_VIEW_H
#define IPCTRACE_COMMAND_LIST_LIST_VIEW_H

#include "command/list/channel_list.h"

#include <stdio.h>

struct list_view {
	const struct channel_list *list;
	uint64_t hidden;       /* processes whose ends have no owner here */
	bool within_namespace; /* of pids: the same holds for all processes outside */
	uint64_t unreached;    /* network namespaces whose sockets are not here */
	uint64_t refused;      /* ends, or descriptors, for which there was no room */
	FILE *out;             /* borrowed */
	int columns;           /* of the terminal; 0: none, and nothing is cut */
	bool color;
};

/* Both: 0 or -errno of the output. */
int list_text(const struct list_view *view);
int list_json(const struct list_view *view); /* "ipctrace.list/1"; also -ENOMEM */

#endif
