/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of all request handlers: found by what --handler says. */
#ifndef IPCTRACE_WORKLOAD_HANDLERS_HANDLERS_H
#define IPCTRACE_WORKLOAD_HANDLERS_HANDLERS_H

#include "workload/handler.h"

/*
 * From "spin=20us": the handler, and where its argument begins in `text` (NULL: none). NULL: there
 * is none of that name, or `why` (of `why_size` bytes) says what is wrong with its argument.
 */
const struct handler_ops *handler_find(const char *text, const char **argument, char *why,
				       size_t why_size);

/* "echo, translate[=FILE], spin=DUR, …", for messages and help. Static. */
const char *handler_names(void);

#endif
