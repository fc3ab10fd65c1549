/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses the options that select messages, such as --slowest 1% and --between 3s 3.5s. */
#include "cli/selection.h"

#include "cli/output.h"
#include "cli/repeated.h"
#include "util/log.h"
#include "util/parse.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	KEY_SLOWEST = 0x600,
	KEY_SLOWER_THAN,
	KEY_BETWEEN,
	KEY_CHANNEL,
	KEY_CLIENT,
	KEY_ROUND,
	KEY_PEER,
	KEY_MESSAGE,
	KEY_AGAINST,
	KEY_UNIT,
	KEY_FROM,
	KEY_TO,
	KEY_AROUND,
};

#define WORD_LEN 64

/* One option each, in the order of struct argp_option. */
#define BETWEEN                                                                                    \
	"between", KEY_BETWEEN, "A,B", 0,                                                          \
		"Only messages from A to B after the begin of tracing, as in --between 3s,3.5s "   \
		"or "                                                                              \
		"--between 3s 3.5s (default: from its begin to its end)",                          \
		0
#define FROM                                                                                       \
	"from", KEY_FROM, "A", 0,                                                                  \
		"Only messages from A after the begin of tracing on (default: from its begin)", 0
#define TO                                                                                         \
	"to", KEY_TO, "B", 0,                                                                      \
		"Only messages until B after the begin of tracing (default: to its end)", 0
#define CHANNEL                                                                                    \
	"channel", KEY_CHANNEL, "N,...", OPTION_ADDS_UP,                                           \
		"Only messages of these channels, with their numbers from the report (default: "   \
		"of "                                                                              \
		"all)",                                                                            \
		0
#define CLIENT                                                                                     \
	"client", KEY_CLIENT, "N|GLOB|PID", 0,                                                     \
		"Only messages of this client: in a run its number or a range as in 1-3, in an "   \
		"attach the process that calls or sends (default: of all)",                        \
		0
#define ROUND                                                                                      \
	"round", KEY_ROUND, "N|N-M", 0,                                                            \
		"Only messages of this round, or of these rounds (default: of all)", 0
#define PEER                                                                                       \
	"peer", KEY_PEER, "GLOB|PID", 0,                                                           \
		"Only messages from or to this process, given by its name or its PID (default: "   \
		"of all)",                                                                         \
		0

#define AGAINST                                                                                    \
	"against", KEY_AGAINST, "BASE", 0,                                                         \
		"What they are compared with (default: middle):\n"                                 \
		"middle\tthe half with the latencies in the middle\n"                              \
		"others\tall that are not slow\n"                                                  \
		"FILE\tthe messages of another recording",                                         \
		0

static const struct argp_option select_option[] = {
	{0, 0, 0, 0, "Which ones are the slow ones:", 0},
	{"slowest", KEY_SLOWEST, "N%|N", 0,
	 "The slowest ones: a share of all, or a number (default: 1%)", 0},
	{"slower-than", KEY_SLOWER_THAN, "DUR", 0,
	 "All that take longer than DUR (default: as --slowest says)", 0},
	{"message", KEY_MESSAGE, "CHANNEL/SEQ", 0,
	 "This message alone: its channel and its number in it, as in ndjson (default: as "
	 "--slowest says)",
	 0},
	{AGAINST},
	{"unit", KEY_UNIT, "UNIT", 0,
	 "What is slow (default: call, without calls round, without rounds message):\n"
	 "message\ta message\n"
	 "call\ta request with its answer\n"
	 "round\ta message to each client, until the last one has it",
	 0},
	{0, 0, 0, 0, "What to look at (default: all of the recording):", 0},
	{BETWEEN},
	{FROM},
	{TO},
	{CHANNEL},
	{CLIENT},
	{ROUND},
	{PEER},
	{0},
};

static const struct argp_option report_select_option[] = {
	{0, 0, 0, 0, "Which messages and calls to show (ndjson, csv, perfetto, html, svg):", 0},
	{"slowest", KEY_SLOWEST, "N%|N", 0,
	 "Show the slowest ones: a share of all, or a number (default: all of them; in html and "
	 "svg, "
	 "the slow ones are the slowest 1%)",
	 0},
	{"message", KEY_MESSAGE, "CHANNEL/SEQ", 0,
	 "Show this message alone: its channel and its number in it (default: all of them)", 0},
	{"around", KEY_AROUND, "A|CHANNEL/SEQ", 0,
	 "Only messages of the 5 ms before and after an instant, counted from the begin of "
	 "tracing, or around a message (default: of all the time)",
	 0},
	{BETWEEN},
	{FROM},
	{TO},
	{CHANNEL},
	{CLIENT},
	{ROUND},
	{PEER},
	{0, 0, 0, 0, "What figures compare (html, svg):", 0},
	{AGAINST},
	{0},
};

static int refuse(const char *option, const char *arg, const char *why)
{
	log_error("--%s: '%s': %s", option, arg, why);
	return EINVAL;
}

int select_slowest(const char *arg, struct selection *selection)
{
	size_t length = strlen(arg);
	char *end;

	if (!length || arg[length - 1] != '%')
		return parse_bounded("slowest", arg, 1, UINT32_MAX, &selection->slowest_cnt);
	if (isdigit((unsigned char)arg[0]))
		selection->slowest_percent = strtod(arg, &end);
	else
		end = (char *)arg;
	if (end != arg + length - 1)
		return refuse("slowest", arg, "not a share: write it as in 1% or 0.1%");
	if (selection->slowest_percent <= 0 || selection->slowest_percent > 100)
		return refuse("slowest", arg, "out of range: give more than 0% and at most 100%");
	return 0;
}

/* The words of --between, as one argument or two. */
static int parse_between(const char *from, const char *to, struct select_options *options)
{
	struct select_range *between = &options->selection.between_ns;
	struct select_range range = {.is_set = true};
	char why[PARSE_WHY_LEN];

	if (parse_instant(from, &range.first, why) || parse_instant(to, &range.last, why))
		return refuse_value("between", why);
	if (range.first > range.last)
		return refuse("between", to,
			      "before the first instant: give the earlier one first");
	/* Its second word is no value of the option, so that repeated_check() does not know it. */
	if (between->is_set && (range.first != between->first || range.last != between->last))
		return refuse("between", to, "given with another time before: give one time");
	*between = range;
	options->has_between = true;
	return 0;
}

/* --from and --to may come in any order, and leave the other end of the time as it is. */
static int parse_end(const char *option, const char *arg, struct select_options *options)
{
	struct select_range *between = &options->selection.between_ns;
	bool is_from = !strcmp(option, "from");
	char why[PARSE_WHY_LEN];
	uint64_t ns;

	if (parse_instant(arg, &ns, why))
		return refuse_value(option, why);
	if (options->has_between)
		return refuse(option, arg, "--between has both ends: leave out one of them");
	if (!between->is_set)
		*between = (struct select_range){.is_set = true, .last = UINT64_MAX};
	if (is_from)
		between->first = ns;
	else
		between->last = ns;
	if (between->first > between->last)
		return refuse(option, arg, "--to is before --from: give a later end");
	return 0;
}

/*
 * `--between 3s,3.5s` or `--between 3s 3.5s`. The second word would otherwise be an argument of the
 * command.
 */
static int parse_between_words(const char *arg, struct argp_state *state,
			       struct select_options *options)
{
	const char *comma = strchr(arg, ',');
	char from[WORD_LEN];

	if (comma) {
		snprintf(from, sizeof(from), "%.*s", (int)(comma - arg), arg);
		return parse_between(from, comma + 1, options);
	}
	if (state->next >= state->argc || !isdigit((unsigned char)state->argv[state->next][0]))
		return refuse("between", arg, "no end: give two instants, as in --between 3s 3.5s");
	return parse_between(arg, state->argv[state->next++], options);
}

/* "7,9". The first channel of a recording may have the number 0. */
static int parse_channels(const char *arg, struct selection *selection)
{
	const char *rest = arg;
	char word[WORD_LEN];
	uint64_t number;

	while (parse_word(&rest, word, sizeof(word))) {
		if (parse_bounded("channel", word, 0, UINT32_MAX, &number))
			return EINVAL;
		if (selection->channel_cnt == SELECT_CHANNELS_MAX)
			return refuse("channel", arg, "too many channels: give at most 64");
		selection->channel[selection->channel_cnt++] = (uint32_t)number;
	}
	return 0;
}

/* "7" or "7-9" */
static int parse_range(const char *option, const char *arg, struct select_range *range)
{
	const char *dash = strchr(arg, '-');
	char first[WORD_LEN];
	int err;

	snprintf(first, sizeof(first), "%.*s", dash ? (int)(dash - arg) : (int)strlen(arg), arg);
	err = parse_bounded(option, first, 0, UINT64_MAX, &range->first);
	if (!err)
		err = parse_bounded(option, dash ? dash + 1 : first, 0, UINT64_MAX, &range->last);
	if (!err && range->last < range->first)
		return refuse(option, arg,
			      "a range runs backwards: write its smaller number first");
	range->is_set = !err;
	return err;
}

static bool is_number(const char *text)
{
	return text[0] && !text[strspn(text, "0123456789")];
}

static int parse_process(const char *option, const char *arg, struct select_process *process)
{
	uint64_t pid;
	int err;

	if (is_number(arg)) {
		err = parse_bounded(option, arg, 1, UINT32_MAX, &pid);
		process->pid = err ? 0 : (uint32_t)pid;
		return err;
	}
	if (!arg[0] || strlen(arg) >= SELECT_GLOB_LEN)
		return refuse(option, arg, "not a name of a process: give a name, a glob or a PID");
	snprintf(process->glob, sizeof(process->glob), "%s", arg);
	return 0;
}

/* "17/4211" */
static int parse_place(const char *option, const char *arg, uint32_t *channel, uint64_t *position)
{
	const char *slash = strchr(arg, '/');
	char word[WORD_LEN];
	uint64_t number;
	int err;

	if (!slash)
		return refuse(option, arg,
			      "not a message: give its channel and its number, as in 17/4211");
	snprintf(word, sizeof(word), "%.*s", (int)(slash - arg), arg);
	err = parse_bounded(option, word, 0, UINT32_MAX, &number);
	if (!err)
		err = parse_bounded(option, slash + 1, 0, UINT64_MAX, position);
	*channel = (uint32_t)number;
	return err;
}

static int parse_message(const char *arg, struct selection *selection)
{
	int err = parse_place("message", arg, &selection->message_channel,
			      &selection->message_position);

	selection->has_message = !err;
	return err;
}

/* Where the message is, is known only when the recording is read: see select_around(). */
static int parse_around(const char *arg, struct select_options *options)
{
	char why[PARSE_WHY_LEN];
	uint64_t position, ns;
	uint32_t channel;

	options->around = arg;
	if (strchr(arg, '/'))
		return parse_place("around", arg, &channel, &position);
	return parse_instant(arg, &ns, why) ? refuse_value("around", why) : 0;
}

static void parse_against(const char *arg, struct select_options *options)
{
	if (!strcmp(arg, "middle")) {
		options->selection.against = AGAINST_MIDDLE;
	} else if (!strcmp(arg, "others")) {
		options->selection.against = AGAINST_OTHERS;
	} else {
		options->selection.against = AGAINST_FILE;
		options->against = arg;
	}
}

static int parse_option(int key, char *arg, struct argp_state *state,
			struct select_options *options)
{
	struct selection *selection = &options->selection;

	switch (key) {
	case KEY_SLOWEST:
		return select_slowest(arg, selection);
	case KEY_SLOWER_THAN:
		return parse_period("slower-than", arg, &selection->slower_than_ns);
	case KEY_BETWEEN:
		return parse_between_words(arg, state, options);
	case KEY_FROM:
		return parse_end("from", arg, options);
	case KEY_TO:
		return parse_end("to", arg, options);
	case KEY_AROUND:
		return parse_around(arg, options);
	case KEY_CHANNEL:
		return parse_channels(arg, selection);
	case KEY_CLIENT:
		options->client = arg;
		return 0;
	case KEY_ROUND:
		return parse_range("round", arg, &selection->round);
	case KEY_PEER:
		return parse_process("peer", arg, &selection->peer);
	case KEY_MESSAGE:
		return parse_message(arg, selection);
	case KEY_AGAINST:
		parse_against(arg, options);
		return 0;
	case KEY_UNIT:
		options->has_unit = true;
		return parse_unit(arg, &options->unit);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* One message is one unit: a round or a call has several. */
static int check(const struct select_options *options)
{
	const struct selection *selection = &options->selection;

	if (!selection->has_message || (selection->slowest_percent <= 0 &&
					!selection->slowest_cnt && !selection->slower_than_ns))
		return 0;
	log_error(
		"--message: '%u/%llu': it is one message, which no other option selects: leave out "
		"--slowest and --slower-than",
		selection->message_channel, (unsigned long long)selection->message_position);
	return EINVAL;
}

#define OPTION_CNT(options) (sizeof(options) / sizeof((options)[0]))

static const char *name_among(const struct argp_option *options, size_t cnt, int key)
{
	for (size_t i = 0; i < cnt; i++) {
		if (options[i].key == key)
			return options[i].name;
	}
	return NULL;
}

/* The name of an option of this file. */
static const char *name_of(int key)
{
	return name_among(select_option, OPTION_CNT(select_option), key)
		       ?: name_among(report_select_option, OPTION_CNT(report_select_option), key);
}

static error_t parse_select(int key, char *arg, struct argp_state *state)
{
	struct select_options *options = state->input;
	int err;

	if (key == ARGP_KEY_END)
		return check(options);
	err = parse_option(key, arg, state, options);
	if (err)
		return err;
	if (key == KEY_AGAINST)
		options->is_for_figures = name_of(key);
	else
		options->given = name_of(key);
	return 0;
}

bool select_around(const struct select_options *options, struct selection *place, uint64_t *ns)
{
	char why[PARSE_WHY_LEN];

	place->has_message = strchr(options->around, '/');
	if (place->has_message)
		return !parse_place("around", options->around, &place->message_channel,
				    &place->message_position);
	return !parse_instant(options->around, ns, why);
}

const struct argp select_argp = {.options = select_option, .parser = parse_select};
const struct argp report_select_argp = {.options = report_select_option, .parser = parse_select};

void select_of_output(struct select_options *options, const struct output_options *output)
{
	options->selection.slower_than_ns = output->slower_than_ns;
	options->has_unit = output->has_unit;
	options->unit = output->unit;
}

int select_client(const struct select_options *options, const struct run_info *info,
		  struct selection *selection)
{
	int err;

	if (!options->client)
		return 0;
	err = info->mode == MODE_RUN ? parse_range("client", options->client, &selection->client)
				     : parse_process("client", options->client, &selection->caller);
	return err ? -EINVAL : 0;
}
