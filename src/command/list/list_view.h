/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines what `ipctrace list` shows: the list of channels, its order, and counts of what the list
 * lacks.
 */
#pragma once

#include "command/list/list_order.h"
#include "report/format.h"

struct list_view {
	const struct channel_list *list;
	const struct list_order *order;
	bool filtered;         /* the options have named processes or kinds */
	uint64_t hidden;       /* processes whose descriptors are not visible */
	bool within_namespace; /* of pids: processes outside are not visible */
	uint64_t unreached;    /* network namespaces whose sockets are missing */
	uint64_t refused;      /* ends and descriptors beyond the limits */
};

/* Write a struct list_view. Both return 0 or -errno of the output. */
int list_text(const void *view, const struct report_style *style);
int list_json(const void *view, const struct report_style *style); /* also -ENOMEM */
