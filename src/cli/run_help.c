/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Completes the help of `run` with the values that an option accepts, such as the names of
 * transports.
 */
#include "cli/run_help.h"

#include "cli/experiment.h"
#include "load/kinds.h"
#include "transport/transport.h"
#include "workload/handler.h"
#include "workload/pattern.h"

#include <stdio.h>

static void add_value(FILE *out, const char *name, const char *meaning)
{
	fprintf(out, "\n%s\t%s", name, meaning);
}

static void add_transports(FILE *out)
{
	const struct transport_ops *transport;

	for (size_t i = 0; (transport = transport_at(i)); i++)
		add_value(out, transport->name, transport->summary);
}

static void add_patterns(FILE *out)
{
	const struct pattern *pattern;

	for (size_t i = 0; (pattern = pattern_at(i)); i++)
		add_value(out, pattern->name, pattern->summary);
}

static void add_handlers(FILE *out)
{
	const struct handler_ops *handler;
	char label[HANDLER_LABEL_LEN];

	for (size_t i = 0; (handler = handler_at(i)); i++) {
		handler_label(handler, label);
		add_value(out, label, handler->summary);
	}
}

static void add_loads(FILE *out)
{
	const struct load_kind *kind;

	for (size_t i = 0; (kind = load_kind_at(i)); i++)
		add_value(out, kind->name, kind->summary);
	add_value(out, "CMD", "any other command, run by the shell");
}

static void add_experiments(FILE *out)
{
	const struct experiment *experiment;

	for (size_t i = 0; (experiment = experiment_at(i)); i++)
		add_value(out, experiment->name, experiment->summary);
}

/* The caller frees the text, unless it is `text` itself. */
static char *with_values(const char *text, void (*add_values)(FILE *out))
{
	char *whole = NULL;
	size_t size;
	FILE *out = open_memstream(&whole, &size);

	if (!out)
		return (char *)text;
	fputs(text, out);
	add_values(out);
	fclose(out);
	return whole ?: (char *)text;
}

char *run_help(int key, const char *text, void *input)
{
	(void)input;
	switch (key) {
	case KEY_TRANSPORT:
		return with_values(text, add_transports);
	case KEY_PATTERN:
		return with_values(text, add_patterns);
	case KEY_HANDLER:
		return with_values(text, add_handlers);
	case KEY_LOAD:
		return with_values(text, add_loads);
	case KEY_EXPERIMENT:
		return with_values(text, add_experiments);
	default:
		return (char *)text;
	}
}
