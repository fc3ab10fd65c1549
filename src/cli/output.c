/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parses options that control the output, such as --format. Also parses values that several
 * commands accept: counts, durations and the level of tracing.
 */
#include "cli/output.h"

#include "cli/help.h"
#include "cli/repeated.h"
#include "report/figure/figure.h"
#include "report/format.h"
#include "util/cpu_list.h"
#include "util/file_place.h"
#include "util/log.h"
#include "util/parse.h"
#include "util/word_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	KEY_COLOR = 0x200,
	KEY_SLOWER_THAN,
	KEY_BRIEF,
	KEY_PUBLISHED,
	KEY_UNIT,
	KEY_FIGURE,
	KEY_USAGE
};

/* One option each, in the order of struct argp_option. */
#define WHAT_TO_PRINT 0, 0, 0, 0, "What to print:", 0
#define OUTPUT_FILE                                                                                \
	"output", 'o', "FILE", 0, "Write the report to FILE (default: standard output)", 0
#define BRIEF                                                                                      \
	"brief", KEY_BRIEF, 0, 0,                                                                  \
		"Print only the first screen of the text report, and a few lines of an "           \
		"explanation",                                                                     \
		0
#define PUBLISHED                                                                                  \
	"published", KEY_PUBLISHED, 0, 0,                                                          \
		"In the text report, show the published figures of the experiment grame beside "   \
		"those of this run",                                                               \
		0
#define FIGURE                                                                                     \
	"figure", KEY_FIGURE, "NAME", 0,                                                           \
		"In svg output, show this figure (default: bands). An unknown NAME lists all "     \
		"figures.",                                                                        \
		0
#define SLOWER_THAN                                                                                \
	"slower-than", KEY_SLOWER_THAN, "DUR", 0,                                                  \
		"Keep only messages slower than DUR in ndjson, csv, perfetto and recordings "      \
		"(default: all messages). The statistics still count every message.",              \
		0
#define UNIT                                                                                       \
	"unit", KEY_UNIT, "UNIT", 0,                                                               \
		"What hgrm, html and svg show the latency of (default: call, without calls "       \
		"round, "                                                                          \
		"without rounds "                                                                  \
		"message):\n"                                                                      \
		"message\ta message\n"                                                             \
		"call\ta request with its answer\n"                                                \
		"round\ta message to each client, until the last one has it",                      \
		0
#define COLOR                                                                                      \
	"color", KEY_COLOR, "WHEN", 0,                                                             \
		"When to use colours (default: auto):\n"                                           \
		"auto\ton a terminal, if NO_COLOR is not set\n"                                    \
		"always\talso in files and pipes\n"                                                \
		"never\tnowhere",                                                                  \
		0
#define QUIET "quiet", 'q', 0, 0, "Print no warnings and no progress, only errors", 0
#define VERBOSE                                                                                    \
	"verbose", 'v', 0, 0,                                                                      \
		"Print each step on stderr. With -vv, print the messages of the BPF loader, too.", \
		0
#define HELP_HEADING 0, 0, 0, 0, "Help:", 0
#define HELP         "help", 'h', 0, OPTION_ENDS, "Print this help", 0
#define HELP_ALIAS   0, '?', 0, OPTION_HIDDEN | OPTION_ENDS, 0, 0
#define USAGE        "usage", KEY_USAGE, 0, OPTION_ENDS, "Print the names of all options", 0
#define VERSION      "version", 'V', 0, OPTION_ENDS, "Print the version of ipctrace", 0

static int parse_format(const char *arg, const struct report_format **format)
{
	char names[64];
	struct word_list list = {.text = names, .size = sizeof(names)};
	const struct report_format *known;

	*format = report_format_find(arg);
	if (*format)
		return 0;
	for (size_t i = 0; (known = report_format_at(i)); i++)
		word_list_add(&list, "%s", known->name);
	return refuse_word("format", arg, names);
}

static int parse_color(const char *arg, enum color *color)
{
	static const char *const names[] = {
		[COLOR_AUTO] = "auto", [COLOR_ALWAYS] = "always", [COLOR_NEVER] = "never"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(arg, names[i]))
			continue;
		*color = i;
		return 0;
	}
	return refuse_word("color", arg, "auto, always or never");
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

static int parse_figure(const char *arg, struct output_options *output)
{
	char names[256];
	struct word_list list = {.text = names, .size = sizeof(names)};
	const struct figure *figure;

	output->figure = arg;
	if (figure_find(arg))
		return 0;
	for (size_t i = 0; (figure = figure_at(i)); i++)
		word_list_add(&list, "%s", figure->name);
	return refuse_word("figure", arg, names);
}

/* What only some formats have, and what only a file can hold. */
static int check_format(const struct output_options *output)
{
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
static int set_verbosity(int step, int *verbosity)
{
	if (*verbosity * step < 0) {
		log_error("--verbose: --quiet: one of them asks for messages that the other one "
			  "leaves out: give one of them");
		return EINVAL;
	}
	*verbosity = step < 0 ? step : *verbosity + step;
	return 0;
}

static error_t parse_output(int key, char *arg, struct argp_state *state)
{
	struct output_options *output = state->input;

	switch (key) {
	case 'f':
		return parse_format(arg, &output->format);
	case 'o':
		output->path = arg;
		return 0;
	case KEY_BRIEF:
		output->is_brief = true;
		return 0;
	case KEY_FIGURE:
		return parse_figure(arg, output);
	case KEY_PUBLISHED:
		output->shows_published = true;
		return 0;
	case KEY_SLOWER_THAN:
		return parse_period("slower-than", arg, &output->slower_than_ns);
	case KEY_UNIT:
		output->has_unit = true;
		return parse_unit(arg, &output->unit);
	case KEY_COLOR:
		return parse_color(arg, &output->color);
	case 'q':
		return set_verbosity(-1, &output->verbosity);
	case 'h':
	case '?':
		help_print(state->root_argp, state->name, stdout);
		exit(EXIT_SUCCESS);
	case 'V':
		help_print_version(stdout);
		exit(EXIT_SUCCESS);
	case KEY_USAGE:
		argp_state_help(state, stdout, ARGP_HELP_USAGE | ARGP_HELP_EXIT_OK);
		return 0;
	case 'v':
		return set_verbosity(1, &output->verbosity);
	case ARGP_KEY_END:
		return check_format(output);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

#define WHOLE_FORMAT                                                                               \
	"format", 'f', "FORMAT", 0,                                                                \
		"Format of the output (default: text):\n"                                          \
		"text\ttables for people\n"                                                        \
		"json\tone JSON object",                                                           \
		0

static const struct argp_option whole_option[] = {
	{WHAT_TO_PRINT}, {WHOLE_FORMAT}, {OUTPUT_FILE}, {COLOR}, {QUIET},   {VERBOSE},
	{HELP_HEADING},  {HELP},         {HELP_ALIAS},  {USAGE}, {VERSION}, {0},
};

static const struct argp_option screen_option[] = {
	{WHAT_TO_PRINT}, {WHOLE_FORMAT}, {OUTPUT_FILE}, {BRIEF}, {COLOR},   {QUIET}, {VERBOSE},
	{HELP_HEADING},  {HELP},         {HELP_ALIAS},  {USAGE}, {VERSION}, {0},
};

#define MESSAGE_FORMAT                                                                             \
	"format", 'f', "FORMAT", 0,                                                                \
		"Format of the report (default: text):\n"                                          \
		"text\ta report for people\n"                                                      \
		"json\tone JSON object with all statistics\n"                                      \
		"ndjson\tone JSON object per message, each on its own line\n"                      \
		"csv\tone row per message, for spreadsheets, R, pandas and sqlite\n"               \
		"hgrm\tpercentiles, for the plotter of HdrHistogram\n"                             \
		"html\ta page with figures, in one file\n"                                         \
		"svg\tone figure: see --figure\n"                                                  \
		"perfetto\ta time line for https://ui.perfetto.dev, in one file",                  \
		0

static const struct argp_option message_option[] = {
	{WHAT_TO_PRINT}, {MESSAGE_FORMAT}, {OUTPUT_FILE}, {FIGURE},  {BRIEF},        {UNIT},
	{SLOWER_THAN},   {COLOR},          {QUIET},       {VERBOSE}, {HELP_HEADING}, {HELP},
	{HELP_ALIAS},    {USAGE},          {VERSION},     {0},
};

static const struct argp_option run_report_option[] = {
	{WHAT_TO_PRINT}, {MESSAGE_FORMAT}, {OUTPUT_FILE}, {FIGURE},  {BRIEF},   {PUBLISHED},
	{UNIT},          {SLOWER_THAN},    {COLOR},       {QUIET},   {VERBOSE}, {HELP_HEADING},
	{HELP},          {HELP_ALIAS},     {USAGE},       {VERSION}, {0},
};

const struct argp whole_argp = {.options = whole_option, .parser = parse_output};
const struct argp screen_argp = {.options = screen_option, .parser = parse_output};
const struct argp message_argp = {.options = message_option, .parser = parse_output};
const struct argp run_report_argp = {.options = run_report_option, .parser = parse_output};

int refuse_value(const char *option, const char *why)
{
	log_error("--%s: %s", option, why);
	return EINVAL;
}

int refuse_word(const char *option, const char *word, const char *known)
{
	log_error("--%s: '%s': unknown value: use one of %s", option, word, known);
	return EINVAL;
}

int parse_bounded(const char *option, const char *arg, uint64_t min, uint64_t max, uint64_t *value)
{
	char why[PARSE_WHY_LEN];

	return parse_number(arg, min, max, value, why) ? refuse_value(option, why) : 0;
}

int parse_count(const char *option, const char *arg, uint32_t max, uint32_t *count)
{
	uint64_t value;
	int err = parse_bounded(option, arg, 1, max, &value);

	if (!err)
		*count = value;
	return err;
}

int parse_period(const char *option, const char *arg, uint64_t *ns)
{
	char why[PARSE_WHY_LEN];

	return parse_duration(arg, ns, why) ? refuse_value(option, why) : 0;
}

int parse_stacks(const char *arg, uint64_t *over_ns)
{
	*over_ns = STACKS_BY_DEFAULT;
	return arg ? parse_period("stacks", arg, over_ns) : 0;
}

int stacks_check(uint64_t stacks_over_ns, bool is_shown)
{
	if (!stacks_over_ns || is_shown)
		return 0;
	log_error("--stacks: stacks are only shown by an explanation: nothing shows or keeps them: "
		  "add --explain or --record FILE");
	return EINVAL;
}

int parse_level(const char *arg, enum level *level)
{
	for (int i = 0; i < NR_LEVELS; i++) {
		if (strcmp(arg, level_names[i]))
			continue;
		*level = i;
		return 0;
	}
	return refuse_word("level", arg, "full, light or deep");
}

int parse_unit(const char *arg, enum unit_kind *unit)
{
	for (int i = 0; i < NR_UNIT_KINDS; i++) {
		if (strcmp(arg, unit_kind_names[i]))
			continue;
		*unit = i;
		return 0;
	}
	return refuse_word("unit", arg, "message, call or round");
}

int parse_reader_policy(const char *arg, struct reader_spec *reader)
{
	if (!strcmp(arg, "idle"))
		reader->policy = READER_IDLE;
	else if (!strcmp(arg, "other"))
		reader->policy = READER_OTHER;
	else if (!cpu_list_parse(arg, &reader->cpus))
		reader->policy = READER_CPUS;
	else
		return refuse_word("reader-policy", arg,
				   "idle, other, or a list of CPUs such as 0,4-5");
	return 0;
}

int output_options_check(const struct output_options *output, const char *record)
{
	if (!record || !file_place_is_same(record, output->path))
		return 0;
	log_error("--record: '%s': the report goes to the same file%s: name another file for one "
		  "of them",
		  record, output->path ? "" : ", which is standard output");
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
