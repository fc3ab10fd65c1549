/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints --help from the option tables of a command, and --version. */
#include "cli/help.h"

#include "util/version.h"

#include <stdlib.h>
#include <string.h>

#define TEXT_COLUMN  28
#define LINE_WIDTH   79
#define VALUE_INDENT 10
#define LABEL_LEN    64

/* Prints the words from TEXT_COLUMN on, in as many lines as they need. */
static void print_words(FILE *out, const char *text, size_t size)
{
	const char *end = text + size;
	size_t column = TEXT_COLUMN;

	while (text < end) {
		const char *space = memchr(text, ' ', end - text);
		size_t length = (space ?: end) - text;

		if (column > TEXT_COLUMN && column + 1 + length > LINE_WIDTH) {
			fprintf(out, "\n%*s", TEXT_COLUMN, "");
			column = TEXT_COLUMN;
		}
		column +=
			fprintf(out, "%s%.*s", column > TEXT_COLUMN ? " " : "", (int)length, text);
		text += length + (space != NULL);
	}
	fputc('\n', out);
}

static void print_row(FILE *out, const char *label, const char *text, size_t size)
{
	if (strlen(label) + 2 > TEXT_COLUMN)
		fprintf(out, "%s\n%*s", label, TEXT_COLUMN, "");
	else
		fprintf(out, "%-*s", TEXT_COLUMN, label);
	print_words(out, text, size);
}

/* One line of an option's text: a value, or what the option does. */
static void print_line(FILE *out, const char *label, const char *line, size_t size)
{
	const char *tab = memchr(line, '\t', size);
	char value[LABEL_LEN];

	if (!tab) {
		print_row(out, label, line, size);
		return;
	}
	snprintf(value, sizeof(value), "%*s%.*s", VALUE_INDENT, "", (int)(tab - line), line);
	print_row(out, value, tab + 1, line + size - tab - 1);
}

/* "  -o, --output FILE" */
static void option_label(const struct option_row *option, char label[LABEL_LEN])
{
	const char *space = option->arg ? " " : "", *arg = option->arg ?: "";

	if (option->flags & OPTION_DOC)
		snprintf(label, LABEL_LEN, "  %s", option->name);
	else if (option->letter)
		snprintf(label, LABEL_LEN, "  -%c, --%s%s%s", option->letter, option->name, space,
			 arg);
	else if (option->flags & OPTION_ARG_OPTIONAL)
		snprintf(label, LABEL_LEN, "      --%s[=%s]", option->name, arg);
	else
		snprintf(label, LABEL_LEN, "      --%s%s%s", option->name, space, arg);
}

/* The text with the values of the option. The caller frees it; NULL: out of memory. */
static char *whole_text(const struct option_row *option)
{
	char *whole = NULL;
	size_t size;
	FILE *out = open_memstream(&whole, &size);

	if (!out)
		return NULL;
	fputs(option->help, out);
	if (option->values)
		option->values(out);
	fclose(out);
	return whole;
}

static void print_option(FILE *out, const struct option_row *option)
{
	char *text = whole_text(option);
	const char *line = text ?: option->help;
	char label[LABEL_LEN];

	option_label(option, label);
	while (*line) {
		size_t size = strcspn(line, "\n");

		print_line(out, label, line, size);
		line += size + (line[size] == '\n');
	}
	free(text);
}

static void print_options(FILE *out, const struct option_table *table)
{
	for (const struct option_row *option = table->rows;
	     option->name || option->letter || option->help; option++) {
		if (option->flags & OPTION_HIDDEN)
			continue;
		if (option->name)
			print_option(out, option);
		else
			fprintf(out, "\n%s\n", option->help);
	}
}

/* `args_doc` has a line for each form of the command. */
static void print_usage(FILE *out, const char *name, const char *args_doc)
{
	const char *start = "Usage:";

	do {
		size_t size = strcspn(args_doc, "\n");

		fprintf(out, "%s %s [OPTION...]%s%.*s\n", start, name, size ? " " : "", (int)size,
			args_doc);
		args_doc += size + (args_doc[size] == '\n');
		start = "   or:";
	} while (*args_doc);
}

void help_print(const struct command_syntax *syntax, const char *name, FILE *out)
{
	size_t before = strcspn(syntax->doc, "\v");

	print_usage(out, name, syntax->args_doc ?: "");
	fprintf(out, "\n%.*s\n", (int)before, syntax->doc);
	for (size_t i = 0; i < PARTS_MAX && syntax->part[i].table; i++)
		print_options(out, syntax->part[i].table);
	if (syntax->doc[before])
		fprintf(out, "\n%s", syntax->doc + before + 1);
}

void help_print_version(FILE *out)
{
	fprintf(out, "ipctrace %s\n", IPCTRACE_VERSION);
}
