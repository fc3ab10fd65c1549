/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Derives from the list what a reader should see first: which services have the most connections,
 * how many entries `ipctrace attach` can trace, and which command to try.
 */
#pragma once

#include "command/channels/end_words.h"

/* What to attach to, as arguments; `option` NULL: there is nothing. */
struct list_advice {
	struct attach_words words;
	const struct end *service; /* NULL: it is a process */
	struct owner process;
	size_t connection_cnt; /* of the service or the process */
};

struct list_order {
	const struct channel_list *list; /* borrowed */
	size_t *service;                 /* indices; the most connected first */
	size_t *connection;              /* indices; of the most connected service first */
	size_t *open_cnt;                /* of each service, by its index in the list */
	size_t traced_services, traced_connections; /* that attach can trace */
	struct list_advice advice;
};

/*
 * `own_pid`: this process, whose own connections are no advice. 0 or -ENOMEM; list_order_free()
 * follows in any case.
 */
int list_order_make(const struct channel_list *list, uint32_t own_pid, struct list_order *order);
void list_order_free(struct list_order *order);
