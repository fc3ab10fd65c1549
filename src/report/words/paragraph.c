/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds text to a paragraph, and writes shares as people read them. */
#include "report/words/paragraph.h"

#include <stdarg.h>

void paragraph_add(struct paragraph *paragraph, const char *format, ...)
{
	size_t room = sizeof(paragraph->text) - paragraph->length;
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(paragraph->text + paragraph->length, room, format, args);
	va_end(args);
	if (length > 0)
		paragraph->length += (size_t)length < room ? (size_t)length : room - 1;
}

const char *percent_text(double share, char text[PERCENT_LEN])
{
	double percent = 100 * share;

	if (percent > -0.05 && percent <= 0)
		snprintf(text, PERCENT_LEN, "0 %%");
	else if (percent > 0 && percent < 0.05)
		snprintf(text, PERCENT_LEN, "<0.1 %%");
	else if (percent < 100 && percent >= 99.95)
		snprintf(text, PERCENT_LEN, ">99.9 %%");
	else if (percent <= -9.95 || (percent >= 9.95 && percent < 99.5) || percent >= 100)
		snprintf(text, PERCENT_LEN, "%.0f %%", percent);
	else
		snprintf(text, PERCENT_LEN, "%.1f %%", percent);
	return text;
}
