/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the attributes of figures. */
#include "support/svg.h"

#include "support/build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t svg_count(const char *svg, const char *attribute, const char *format, ...)
{
	char value[512], wanted[640];
	size_t cnt = 0;
	va_list args;

	va_start(args, format);
	vsnprintf(value, sizeof(value), format, args);
	va_end(args);
	snprintf(wanted, sizeof(wanted), " %s=\"%s\"", attribute, value);
	while ((svg = strstr(svg, wanted))) {
		cnt++;
		svg += strlen(wanted);
	}
	return cnt;
}

double svg_sum(const char *svg, const char *attribute)
{
	char wanted[128];
	double sum = 0;

	snprintf(wanted, sizeof(wanted), " %s=\"", attribute);
	while ((svg = strstr(svg, wanted))) {
		svg += strlen(wanted);
		sum += strtod(svg, NULL);
	}
	return sum;
}

/* A coordinate of 0 is left out. */
static double number_of(const char *tag, const char *attribute)
{
	const char *end = strchr(tag, '>');
	char wanted[64];
	const char *at;

	snprintf(wanted, sizeof(wanted), " %s=\"", attribute);
	at = strstr(tag, wanted);
	return at && at < end ? strtod(at + strlen(wanted), NULL) : 0;
}

void assert_inside(const char *svg)
{
	const char *box = strstr(svg, "viewBox=\"0 0 ");
	char *end;
	double width, height;

	assert_non_null(box);
	width = strtod(box + strlen("viewBox=\"0 0 "), &end);
	height = strtod(end, NULL);
	for (const char *tag = svg; (tag = strchr(tag, '<')); tag++) {
		bool is_bar = !strncmp(tag, "<rect", 5);

		if (strncmp(tag, "<text", 5) && !is_bar)
			continue;
		assert_true(number_of(tag, "x") >= -1 && number_of(tag, "x") <= width + 1);
		assert_true(number_of(tag, "y") >= -1 && number_of(tag, "y") <= height + 1);
		if (!is_bar)
			continue;
		assert_true(number_of(tag, "x") + number_of(tag, "width") <= width + 1);
		assert_true(number_of(tag, "y") + number_of(tag, "height") <= height + 1);
	}
}
