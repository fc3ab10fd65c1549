/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses options that control the output, such as --format. */
#include "cli/output.h"

#include "cli/option_table.h"
#include "cli/tables.h"
#include "cli/values.h"
#include "report/figure.h"
#include "report/format.h"
#include "util/file_place.h"
#include "util/log.h"
#include "util/version.h"
#include "util/word_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Prints --help from the option tables of a command, and --version. */

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

static void output_print_row(FILE *out, const char *label, const char *text, size_t size)
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
		output_print_row(out, label, line, size);
		return;
	}
	snprintf(value, sizeof(value), "%*s%.*s", VALUE_INDENT, "", (int)(tab - line), line);
	output_print_row(out, value, tab + 1, line + size - tab - 1);
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

/* `name` is the program's name with the command, as in "ipctrace attach". */
static void help_print(const struct command_syntax *syntax, const char *name, FILE *out)
{
	size_t before = strcspn(syntax->doc, "\v");

	print_usage(out, name, syntax->args_doc ?: "");
	fprintf(out, "\n%.*s\n", (int)before, syntax->doc);
	for (size_t i = 0; i < PARTS_MAX && syntax->part[i].table; i++)
		print_options(out, syntax->part[i].table);
	if (syntax->doc[before])
		fprintf(out, "\n%s", syntax->doc + before + 1);
}

static void help_print_version(FILE *out)
{
	fprintf(out, "ipctrace %s\n", IPCTRACE_VERSION);
}

#define AT(member) offsetof(struct output_options, member)

static const char *const color_names[] = {
	[COLOR_AUTO] = "auto", [COLOR_ALWAYS] = "always", [COLOR_NEVER] = "never"};

static int set_format(const struct parsing *parsing, char *arg, void *to)
{
	const struct report_format **format = to;
	char names[64];
	struct word_list list = {.text = names, .size = sizeof(names)};
	const struct report_format *known;

	*format = report_format_find(arg);
	if (*format)
		return 0;
	for (size_t i = 0; (known = report_format_at(i)); i++)
		word_list_add(&list, "%s", known->name);
	return refuse_word(parsing->row->name, arg, names);
}

/* What only the text report has. */
static int check_text(const struct output_options *output)
{
	const char *option = output->is_brief ? "--brief" : "--published";

	if (output->format->has_first_screen || !(output->is_brief || output->shows_published))
		return 0;
	log_error("%s: --format %s: only the text report has this option: leave out one of them",
		  option, output->format->name);
	return EINVAL;
}

static int check_unit(const struct output_options *output)
{
	if (!output->has_unit || output->format->shows_unit)
		return 0;
	log_error("--unit: --format '%s': only hgrm, html and svg show one unit: use one of these, "
		  "or ipctrace explain",
		  output->format->name);
	return EINVAL;
}

static int set_figure(const struct parsing *parsing, char *arg, void *to)
{
	char names[256];
	struct word_list list = {.text = names, .size = sizeof(names)};
	const struct figure *figure;

	*(const char **)to = arg;
	if (figure_find(arg))
		return 0;
	for (size_t i = 0; (figure = figure_at(i)); i++)
		word_list_add(&list, "%s", figure->name);
	return refuse_word(parsing->row->name, arg, names);
}

/* What only some formats have, and what only a file can hold. */
static int check_format(void *options)
{
	const struct output_options *output = options;
	const char *name = output->format->name;

	if (output->figure && !output->format->shows_one_figure) {
		log_error("--figure: --format '%s': only svg shows a single figure: use -f svg, or "
			  "leave out --figure",
			  name);
		return EINVAL;
	}
	if (output->format->wants_file && !output->path && isatty(STDOUT_FILENO)) {
		log_error("--format: '%s': a terminal cannot show it: name a file with -o FILE",
			  name);
		return EINVAL;
	}
	return check_text(output) ?: check_unit(output);
}

/* -v adds up with itself; -q does not. */
static int set_verbosity(const struct parsing *parsing, char *arg, void *to)
{
	int *verbosity = to, step = parsing->row->letter == 'q' ? -1 : 1;

	(void)arg;
	if (*verbosity * step < 0) {
		log_error("--verbose: --quiet: one of them asks for messages that the other one "
			  "leaves out: give one of them");
		return EINVAL;
	}
	*verbosity = step < 0 ? step : *verbosity + step;
	return 0;
}

static int show_help(const struct parsing *parsing, char *arg, void *to)
{
	(void)arg;
	(void)to;
	help_print(parsing->syntax, parsing->state->name, stdout);
	exit(EXIT_SUCCESS);
}

static int show_version(const struct parsing *parsing, char *arg, void *to)
{
	(void)parsing;
	(void)arg;
	(void)to;
	help_print_version(stdout);
	exit(EXIT_SUCCESS);
}

static int show_usage(const struct parsing *parsing, char *arg, void *to)
{
	(void)arg;
	(void)to;
	argp_state_help(parsing->state, stdout, ARGP_HELP_USAGE | ARGP_HELP_EXIT_OK);
	return 0;
}

static void add_formats(FILE *out)
{
	const struct report_format *format;

	for (size_t i = 0; (format = report_format_at(i)); i++)
		value_help(out, format->name, format->meaning);
}

/* Each is one row, or those that always stand together. */
#define TITLE                                                                                      \
	{                                                                                          \
		.help = "What to print:"                                                           \
	}
#define WHOLE_FORMAT                                                                               \
	{                                                                                          \
		"format", .letter = 'f', .arg = "FORMAT", .set = set_format, .to = AT(format),     \
			  .help = "Format of the output (default: text):\n"                        \
				  "text\ttables for people\n"                                      \
				  "json\tone JSON object",                                         \
	}
#define MESSAGE_FORMAT                                                                             \
	{                                                                                          \
		"format", .letter = 'f', .arg = "FORMAT", .set = set_format, .to = AT(format),     \
			  .help = "Format of the report (default: text):", .values = add_formats,  \
	}
#define OUTPUT_FILE                                                                                \
	{                                                                                          \
		"output", .letter = 'o', .arg = "FILE", .set = set_text, .to = AT(path),           \
			  .help = "Write the report to FILE (default: standard output)",           \
	}
#define FIGURE                                                                                     \
	{                                                                                          \
		"figure", .arg = "NAME", .set = set_figure, .to = AT(figure),                      \
			  .help = "In svg output, show this figure (default: bands). An unknown "  \
				  "NAME lists all figures.",                                       \
	}
#define BRIEF                                                                                      \
	{                                                                                          \
		"brief", .set = set_flag, .to = AT(is_brief),                                      \
			 .help = "Print only the first screen of the text report, and a few "      \
				 "lines of an explanation",                                        \
	}
#define PUBLISHED                                                                                  \
	{                                                                                          \
		"published", .set = set_flag, .to = AT(shows_published),                           \
			     .help = "In the text report, show the published figures of the "      \
				     "experiment grame beside those of this run",                  \
	}
#define UNIT_AND_LIMIT                                                                             \
	{"unit",                                                                                   \
	 .arg = "UNIT",                                                                            \
	 .set = set_name,                                                                          \
	 NAMES(unit_kind_names),                                                                   \
	 .to = AT(unit),                                                                           \
	 .given = AT(has_unit),                                                                    \
	 .help = "What hgrm, html and svg show the latency of (default: call, without calls "      \
		 "round, without rounds message):\n" UNIT_HELP},                                   \
	{                                                                                          \
		"slower-than", .arg = "DUR", .set = set_duration, .to = AT(slower_than_ns),        \
			       .help = "Keep only messages slower than DUR in ndjson, csv, "       \
				       "perfetto and recordings (default: all messages). The "     \
				       "statistics still count every message.",                    \
	}
#define SCREEN_AND_HELP                                                                            \
	{"color",                                                                                  \
	 .arg = "WHEN",                                                                            \
	 .set = set_name,                                                                          \
	 NAMES(color_names),                                                                       \
	 .to = AT(color),                                                                          \
	 .help = "When to use colours (default: auto):\n"                                          \
		 "auto\ton a terminal, if NO_COLOR is not set\n"                                   \
		 "always\talso in files and pipes\n"                                               \
		 "never\tnowhere"},                                                                \
		{"quiet", .letter = 'q', .set = set_verbosity, .to = AT(verbosity),                \
		 .help = "Print no warnings and no progress, only errors"},                        \
		{"verbose", .letter = 'v', .set = set_verbosity, .to = AT(verbosity),              \
		 .help = "Print each step on stderr. With -vv, print the messages of the BPF "     \
			 "loader, too."},                                                          \
		{.help = "Help:"},                                                                 \
		{"help", .letter = 'h', .flags = OPTION_ENDS, .set = show_help,                    \
		 .help = "Print this help"},                                                       \
		{.letter = '?', .flags = OPTION_HIDDEN | OPTION_ENDS, .set = show_help},           \
		{"usage", .flags = OPTION_ENDS, .set = show_usage,                                 \
		 .help = "Print the names of all options"},                                        \
		{"version", .letter = 'V', .flags = OPTION_ENDS, .set = show_version,              \
		 .help = "Print the version of ipctrace"},                                         \
	{                                                                                          \
		0                                                                                  \
	}

static const struct option_row whole_rows[] = {TITLE, WHOLE_FORMAT, OUTPUT_FILE, SCREEN_AND_HELP};

static const struct option_row screen_rows[] = {TITLE, WHOLE_FORMAT, OUTPUT_FILE, BRIEF,
						SCREEN_AND_HELP};

static const struct option_row message_rows[] = {TITLE, MESSAGE_FORMAT, OUTPUT_FILE,    FIGURE,
						 BRIEF, UNIT_AND_LIMIT, SCREEN_AND_HELP};

static const struct option_row run_report_rows[] = {TITLE,          MESSAGE_FORMAT, OUTPUT_FILE,
						    FIGURE,         BRIEF,          PUBLISHED,
						    UNIT_AND_LIMIT, SCREEN_AND_HELP};

const struct option_table whole_table = {whole_rows, check_format};
const struct option_table screen_table = {screen_rows, check_format};
const struct option_table message_table = {message_rows, check_format};
const struct option_table run_report_table = {run_report_rows, check_format};

int output_options_check(const struct output_options *output, const char *record)
{
	if (!record || !file_place_is_same(record, output->path))
		return 0;
	log_error("--record: '%s': the report goes to the same file%s: name another file for one "
		  "of them",
		  record, output->path ? "" : ", which is standard output");
	return EINVAL;
}

/* A shell can append standard output to it, too. */
int output_options_check_source(const struct output_options *output, const char *what,
				const char *source)
{
	const char *quote = output->path ? "'" : "";

	if (!source || !file_place_is_same(source, output->path))
		return 0;
	log_error("cannot write the %s: %s%s%s: it is the recording that is read: name another "
		  "file",
		  what, quote, output->path ?: "standard output", quote);
	return EINVAL;
}

int output_options_check_whole(const struct output_options *output, const char *command)
{
	if (output->format->document)
		return 0;
	log_error("--format: '%s': %s has no messages to show: use text or json",
		  output->format->name, command);
	return EINVAL;
}

void output_options_init(struct output_options *output)
{
	*output = (struct output_options){.format = report_format_find("text"),
					  .color = COLOR_AUTO,
					  .max_bytes = TRACE_BYTES_MAX};
}
