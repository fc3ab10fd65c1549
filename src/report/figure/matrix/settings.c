/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the words for the settings in which runs differ. */
#include "report/figure/matrix/settings.h"

#include "report/figure/canvas.h"

#include <stdarg.h>
#include <stdio.h>

__attribute__((format(printf, 2, 3))) static void settings_add(struct paragraph *words,
							       const char *format, ...)
{
	char text[SETTINGS_LEN];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	paragraph_add(words, "%s%s", words->length ? ", " : "", text);
}

static bool settings_has(unsigned int set, enum coordinate coordinate)
{
	return set & 1u << coordinate;
}

void settings_words(const struct workload_spec *spec, unsigned int set, char words[SETTINGS_LEN])
{
	struct paragraph line = {0};
	unsigned long long clients = spec->clients, messages = spec->messages, size = spec->size;

	if (settings_has(set, COORDINATE_PATTERN))
		settings_add(&line, "%s", spec->pattern);
	if (settings_has(set, COORDINATE_TRANSPORT) || !set)
		settings_add(&line, "%s", spec->transport);
	if (settings_has(set, COORDINATE_BYTES))
		settings_add(&line, "%llu byte%s", size, plural(size));
	if (settings_has(set, COORDINATE_CLIENTS))
		settings_add(&line, "%llu client%s", clients, plural(clients));
	if (settings_has(set, COORDINATE_MESSAGES))
		settings_add(&line, "%llu message%s", messages, plural(messages));
	if (settings_has(set, COORDINATE_HANDLER) && spec->handler[0])
		settings_add(&line, "%s", spec->handler);
	if (settings_has(set, COORDINATE_LOAD))
		settings_add(&line, "%s%s", spec->load[0] ? "load " : "no load", spec->load);
	snprintf(words, SETTINGS_LEN, "%.*s", SETTINGS_LEN - 1, line.text);
}

void settings_data(const struct canvas *canvas, const struct row *row)
{
	const struct workload_spec *spec = &row->info.workload;

	data_text(canvas, "transport", spec->transport);
	data_text(canvas, "pattern", spec->pattern);
	data_text(canvas, "load", spec->load);
	data_text(canvas, "handler", spec->handler);
	data_count(canvas, "clients", spec->clients);
	data_count(canvas, "size", spec->size);
	data_count(canvas, "messages", spec->messages);
	data_count(canvas, "runs", row->runs);
}
