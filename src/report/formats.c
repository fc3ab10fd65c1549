/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lists the output formats, and finds a format by its name. A new format needs an entry here and a
 * declaration in format.h.
 */
#include "report/format.h"

#include <string.h>

static const struct report_format *const formats[] = {
	&report_text, &report_json, &report_ndjson, &report_csv,
	&report_hgrm, &report_html, &report_svg,    &report_perfetto,
};

const struct report_format *report_format_at(size_t i)
{
	return i < sizeof(formats) / sizeof(formats[0]) ? formats[i] : NULL;
}

const struct report_format *report_format_find(const char *name)
{
	const struct report_format *format;

	for (size_t i = 0; (format = report_format_at(i)); i++) {
		if (!strcmp(format->name, name))
			break;
	}
	return format;
}
