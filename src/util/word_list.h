/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes lists such as "tcp, udp, pipe" for help texts and error messages. */
#pragma once

#include <stddef.h>

/* In memory of the caller. What does not fit is cut off. */
struct word_list {
	char *text;
	size_t size; /* of that memory, in bytes */
	size_t used; /* bytes of text, without the NUL */
};

__attribute__((format(printf, 2, 3))) void word_list_add(struct word_list *list, const char *format,
							 ...);
