/* SPDX-License-Identifier: BSD-2-Clause */
/* Joins words with commas. */
#include "util/word_list.h"

#include <stdarg.h>
#include <stdio.h>

/* snprintf() returns the length of the whole text, also if it did not fit. */
static void note_used(struct word_list *list, int length)
{
	list->used += (size_t)length;
	if (list->used > list->size)
		list->used = list->size;
}

void word_list_add(struct word_list *list, const char *format, ...)
{
	va_list arguments;

	if (list->used)
		note_used(list, snprintf(list->text + list->used, list->size - list->used, ", "));
	va_start(arguments, format);
	note_used(list,
		  vsnprintf(list->text + list->used, list->size - list->used, format, arguments));
	va_end(arguments);
}
