/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes the help of `run`. The help lists the words that an option accepts, such as the names of
 * transports.
 */
#include "cli/run_help.h"

#include "cli/experiment.h"
#include "load/kinds.h"
#include "transport/transport.h"
#include "workload/handler.h"
#include "workload/pattern.h"

#include <argp.h>
#include <stdio.h>
#include <string.h>

/* "text: words" */
static char *with_words(const char *text, const char *words)
{
	char *whole;

	return asprintf(&whole, "%s: %s", text, words) < 0 ? (char *)text : whole;
}

/* "  name          summary", with the summary wrapped. */
static void describe_word(FILE *out, const char *name, const char *summary)
{
	const size_t room = 62;

	fprintf(out, "  %-14s", name);
	while (strlen(summary) > room) {
		size_t length = room;

		while (length && summary[length] != ' ')
			length--;
		if (!length)
			break;
		fprintf(out, "%.*s\n%16s", (int)length, summary, "");
		summary += length + 1;
	}
	fprintf(out, "%s\n", summary);
}

/* The text below the options: what each word means, then examples. */
static char *describe(const char *examples)
{
	const struct transport_ops *transport;
	const struct pattern *pattern;
	const struct experiment *experiment;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return (char *)examples;
	fputs("Transports:\n", out);
	for (size_t i = 0; (transport = transport_at(i)); i++)
		describe_word(out, transport->name, transport->summary);
	fputs("\nPatterns:\n", out);
	for (size_t i = 0; (pattern = pattern_at(i)); i++)
		describe_word(out, pattern->name, pattern->summary);
	fputs("\nExperiments:\n", out);
	for (size_t i = 0; (experiment = experiment_at(i)); i++)
		describe_word(out, experiment->name, experiment->summary);
	fprintf(out, "\n%s", examples);
	fclose(out);
	return text;
}

char *run_help(int key, const char *text, void *input)
{
	(void)input;
	switch (key) {
	case KEY_TRANSPORT:
		return with_words(text, transport_names());
	case KEY_PATTERN:
		return with_words(text, pattern_names());
	case KEY_HANDLER:
		return with_words(text, handler_names());
	case KEY_LOAD:
		return with_words(text, load_names());
	case KEY_EXPERIMENT:
		return with_words(text, experiment_names());
	case ARGP_KEY_HELP_POST_DOC:
		return describe(text);
	default:
		return (char *)text;
	}
}
