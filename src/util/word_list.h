/* SPDX-License-Identifier: BSD-2-Clause */
/* "this, that, those": what may be chosen from, in help texts and errors. */
#ifndef IPCTRACE_UTIL_WORD_LIST_H
#define IPCTRACE_UTIL_WORD_LIST_H

#include <stddef.h>

/* In memory of the owner's. What does not fit is cut off. */
struct word_list {
	char *text;
	size_t size; /* of that memory */
	size_t used; /* by words, the NUL behind them not counted */
};

__attribute__((format(printf, 2, 3))) void word_list_add(struct word_list *list, const char *format,
							 ...);

#endif
