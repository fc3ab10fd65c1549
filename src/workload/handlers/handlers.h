/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of all request handlers, looked up by the text of --handler. */
#ifndef IPCTRACE_WORKLOAD_HANDLERS_HANDLERS_H
#define IPCTRACE_WORKLOAD_HANDLERS_HANDLERS_H

#include "workload/handler.h"

/*
 * Finds the handler of a text such as "spin=20us", and where its argument begins in `text` (NULL:
 * no argument). NULL: `why` (of `why_size` bytes) says that there is no such handler or what is
 * wrong with the argument.
 */
const struct handler_ops *handler_find(const char *text, const char **argument, char *why,
				       size_t why_size);

/* "echo, translate[=FILE], spin=DUR, …", for messages and help. Static. */
const char *handler_names(void);

#endif
