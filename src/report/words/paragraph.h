/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares a paragraph, to which sentences are added, and the shares and plurals in it. It is plain
 * text without line breaks: the text report breaks its lines, and the page makes an element of it.
 */
#pragma once

#include "util/duration.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Zero-initialized is empty. What does not fit is cut off. */
struct paragraph {
	size_t length;
	char text[2048];
};

__attribute__((format(printf, 2, 3))) void paragraph_add(struct paragraph *paragraph,
							 const char *format, ...);

/* "98 %", "5.1 %", "<0.1 %"; "100 %" and "0 %" only if exact. Valid in the enclosing block. */
#define PERCENT_LEN 16
const char *percent_text(double share, char text[PERCENT_LEN]);
#define PERCENT(share) percent_text((share), (char[PERCENT_LEN]){0})

static inline const char *plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}
