/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses the options that select messages, and those that say which messages are calls. */
#include "cli/selection.h"

#include "cli/tables.h"
#include "cli/values.h"
#include "util/log.h"
#include "util/parse.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORD_LEN   64

#define AT(member) offsetof(struct select_options, member)

static option_set_fn set_between, selection_set_end, set_channels, set_range, selection_set_process,
	set_service, set_message, set_around, set_against;

/* One row each. */
#define AGAINST                                                                                    \
	{                                                                                          \
		"against", .arg = "BASE", .set = set_against, .named = AT(is_for_figures),         \
			   .help = "What they are compared with (default: middle):\n"              \
				   "middle\tthe half with the latencies in the middle\n"           \
				   "others\tall that are not slow\n"                               \
				   "FILE\tthe messages of another recording",                      \
	}
#define WHERE                                                                                      \
	{"between", .arg = "A,B", .set = set_between, .named = AT(given),                          \
	 .help = "Only messages from A to B after the start of tracing, as in --between 3s,3.5s "  \
		 "or --between 3s 3.5s (default: from its start to its end)"},                     \
		{"from", .arg = "A", .set = selection_set_end, .named = AT(given),                 \
		 .help = "Only messages from A after the start of tracing on (default: from its "  \
			 "start)"},                                                                \
		{"to", .arg = "B", .set = selection_set_end, .named = AT(given),                   \
		 .help = "Only messages until B after the start of tracing (default: to its "      \
			 "end)"},                                                                  \
		{"channel",                                                                        \
		 .arg = "N,...",                                                                   \
		 .flags = OPTION_ADDS_UP,                                                          \
		 .set = set_channels,                                                              \
		 .to = AT(selection),                                                              \
		 .named = AT(given),                                                               \
		 .help = "Only messages of these channels, with their numbers from the report "    \
			 "(default: of all)"},                                                     \
		{"client",                                                                         \
		 .arg = "N|GLOB|PID",                                                              \
		 .set = set_text,                                                                  \
		 .to = AT(client),                                                                 \
		 .named = AT(given),                                                               \
		 .help = "Only messages of this client: in a run its number or a range as in "     \
			 "1-3, in an attach the process that calls or sends (default: of all)"},   \
		{"round",                                                                          \
		 .arg = "N|N-M",                                                                   \
		 .set = set_range,                                                                 \
		 .to = AT(selection.round),                                                        \
		 .named = AT(given),                                                               \
		 .help = "Only messages of this round, or of these rounds (default: of all)"},     \
	{                                                                                          \
		"peer", .arg = "GLOB|PID", .set = selection_set_process, .to = AT(selection.peer), \
			.named = AT(given),                                                        \
			.help = "Only messages from or to this process, given by its name or its " \
				"PID (default: of all)"                                            \
	}

#define SERVICE                                                                                    \
	{                                                                                          \
		"service", .arg = "GLOB|PID", .set = set_service, .to = AT(selection.service),     \
			   .named = AT(given),                                                     \
			   .help = "Only calls of this service, given by its name, its address, "  \
				   "both as in 'redis-server on *:6379', or the PID of a server "  \
				   "(default: of several services, of the busiest one)"            \
	}

static const struct option_row select_rows[] = {
	{.help = "Which ones are the slow ones:"},
	{"slowest", .arg = "N%|N", .set = set_slowest, .to = AT(selection), .named = AT(given),
	 .help = "The slowest ones: a share of all, or a number (default: 1%)"},
	{"slower-than", .arg = "DUR", .set = set_duration, .to = AT(selection.slower_than_ns),
	 .named = AT(given), .help = "All that take longer than DUR (default: as --slowest says)"},
	{"message", .arg = "CHANNEL/SEQ", .set = set_message, .to = AT(selection),
	 .named = AT(given),
	 .help = "This message alone: its channel and its number in it, as in ndjson (default: as "
		 "--slowest says)"},
	AGAINST,
	{"unit", .arg = "UNIT", .set = set_name, NAMES(unit_kind_names), .to = AT(unit),
	 .given = AT(has_unit), .named = AT(given),
	 .help = "What is slow (default: call, without calls round, without rounds "
		 "message):\n" UNIT_HELP},
	{.help = "What to look at (default: all of the recording):"},
	WHERE,
	SERVICE,
	{0},
};

static const struct option_row report_select_rows[] = {
	{.help = "Which messages and calls to show (ndjson, csv, perfetto, html, svg):"},
	{"slowest", .arg = "N%|N", .set = set_slowest, .to = AT(selection), .named = AT(given),
	 .help = "Show the slowest ones: a share of all, or a number (default: all of them; in "
		 "html and svg, the slow ones are the slowest 1%)"},
	{"message", .arg = "CHANNEL/SEQ", .set = set_message, .to = AT(selection),
	 .named = AT(given),
	 .help = "Show this message alone: its channel and its number in it (default: all of "
		 "them)"},
	{"around", .arg = "A|CHANNEL/SEQ", .set = set_around, .named = AT(given),
	 .help = "Only messages of the 5 ms before and after an instant, counted from the start "
		 "of tracing, or around a message (default: of all the time)"},
	WHERE,
	{.help = "What figures compare (html, svg):"},
	AGAINST,
	{0},
};

#undef AT
#define AT(member) offsetof(struct call_options, member)

static option_set_fn selection_set_order;

#define CALLS_TITLE                                                                                \
	{                                                                                          \
		.help = "Which messages are calls (a request and its answer):"                     \
	}
#define SERVER                                                                                     \
	{                                                                                          \
		"server", .arg = "GLOB|PID,...", .flags = OPTION_ADDS_UP, .set = set_processes,    \
			  .to = AT(server),                                                        \
			  .help = "These processes serve (default: the end that listens, else "    \
				  "the target, else the end that receives the first message)"      \
	}
#define ORDER                                                                                      \
	{                                                                                          \
		"calls", .arg = "fifo", .set = selection_set_order, .to = AT(in_turn),             \
			 .help = "On each connection, answers come in the order of the requests, " \
				 "and each request and each answer is one message (default: "      \
				 "calls with several open requests are shown apart)"               \
	}

static const struct option_row call_rows[] = {
	CALLS_TITLE,
	SERVER,
	{"client", .arg = "GLOB|PID,...", .flags = OPTION_ADDS_UP, .set = set_processes,
	 .to = AT(client), .help = "These processes call (default: the end that does not serve)"},
	ORDER,
	{0},
};

/* Without --client, which says no more than --server. */
static const struct option_row report_call_rows[] = {CALLS_TITLE, SERVER, ORDER, {0}};

const struct option_table call_table = {.rows = call_rows};
const struct option_table report_call_table = {.rows = report_call_rows};

static int selection_set_order(const struct parsing *parsing, char *arg, void *to)
{
	(void)parsing;
	*(bool *)to = !strcmp(arg, "fifo");
	if (*(bool *)to)
		return 0;
	log_error("--calls: unknown order: '%s': answers come in no known order, or in that of the "
		  "requests: use --calls fifo, or leave it out",
		  arg);
	return EINVAL;
}

static int selection_refuse(const char *option, const char *arg, const char *why)
{
	log_error("--%s: '%s': %s", option, arg, why);
	return EINVAL;
}

int set_slowest(const struct parsing *parsing, char *arg, void *to)
{
	struct selection *selection = to;
	size_t length = strlen(arg);
	char *end;

	(void)parsing;
	if (!length || arg[length - 1] != '%')
		return parse_bounded("slowest", arg, 1, UINT32_MAX, &selection->slowest_cnt);
	if (isdigit((unsigned char)arg[0]))
		selection->slowest_percent = strtod(arg, &end);
	else
		end = arg;
	if (end != arg + length - 1)
		return selection_refuse("slowest", arg, "not a share: write it as in 1% or 0.1%");
	if (selection->slowest_percent <= 0 || selection->slowest_percent > 100)
		return selection_refuse("slowest", arg,
					"out of range: give more than 0% and at most 100%");
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
		return selection_refuse("between", to,
					"before the first instant: give the earlier one first");
	/* The table of options sees its first word only: a second range is refused here. */
	if (between->is_set && (range.first != between->first || range.last != between->last))
		return selection_refuse("between", to,
					"given with another time before: give one time");
	*between = range;
	options->has_between = true;
	return 0;
}

/* --from and --to may come in any order, and leave the other end of the time as it is. */
static int selection_set_end(const struct parsing *parsing, char *arg, void *to)
{
	struct select_options *options = to;
	const char *option = parsing->row->name;
	struct select_range *between = &options->selection.between_ns;
	bool is_from = !strcmp(option, "from");
	char why[PARSE_WHY_LEN];
	uint64_t ns;

	if (parse_instant(arg, &ns, why))
		return refuse_value(option, why);
	if (options->has_between)
		return selection_refuse(option, arg,
					"--between has both ends: leave out one of them");
	if (!between->is_set)
		*between = (struct select_range){.is_set = true, .last = UINT64_MAX};
	if (is_from)
		between->first = ns;
	else
		between->last = ns;
	if (between->first > between->last)
		return selection_refuse(option, arg, "--to is before --from: give a later end");
	return 0;
}

/*
 * `--between 3s,3.5s` or `--between 3s 3.5s`. The second word would otherwise be an argument of the
 * command.
 */
static int set_between(const struct parsing *parsing, char *arg, void *to)
{
	struct argp_state *state = parsing->state;
	const char *comma = strchr(arg, ',');
	char from[WORD_LEN];

	if (comma) {
		snprintf(from, sizeof(from), "%.*s", (int)(comma - arg), arg);
		return parse_between(from, comma + 1, to);
	}
	if (state->next >= state->argc || !isdigit((unsigned char)state->argv[state->next][0]))
		return selection_refuse("between", arg,
					"no end: give two instants, as in --between 3s 3.5s");
	return parse_between(arg, state->argv[state->next++], to);
}

/* "7,9". The first channel of a recording may have the number 0. */
static int set_channels(const struct parsing *parsing, char *arg, void *to)
{
	struct selection *selection = to;
	const char *rest = arg;
	char word[WORD_LEN];
	uint64_t number;

	(void)parsing;
	while (parse_word(&rest, word, sizeof(word))) {
		if (parse_bounded("channel", word, 0, UINT32_MAX, &number))
			return EINVAL;
		if (selection->channel_cnt == SELECT_CHANNELS_MAX)
			return selection_refuse("channel", arg,
						"too many channels: give at most 64");
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
		return selection_refuse(option, arg,
					"a range runs backwards: write its smaller number first");
	range->is_set = !err;
	return err;
}

static int set_range(const struct parsing *parsing, char *arg, void *to)
{
	return parse_range(parsing->row->name, arg, to);
}

static bool selection_is_number(const char *text)
{
	return text[0] && !text[strspn(text, "0123456789")];
}

static int parse_process(const char *option, const char *arg, struct select_process *process)
{
	uint64_t pid;
	int err;

	if (selection_is_number(arg)) {
		err = parse_bounded(option, arg, 1, UINT32_MAX, &pid);
		process->pid = err ? 0 : (uint32_t)pid;
		return err;
	}
	if (!arg[0] || strlen(arg) >= SELECT_GLOB_LEN)
		return selection_refuse(option, arg,
					"not a name of a process: give a name, a glob or a PID");
	snprintf(process->glob, sizeof(process->glob), "%s", arg);
	return 0;
}

static int selection_set_process(const struct parsing *parsing, char *arg, void *to)
{
	return parse_process(parsing->row->name, arg, to);
}

static int set_service(const struct parsing *parsing, char *arg, void *to)
{
	struct select_service *service = to;
	uint64_t pid;

	service->is_set = true;
	if (selection_is_number(arg)) {
		int err = parse_bounded(parsing->row->name, arg, 1, UINT32_MAX, &pid);

		service->pid = err ? 0 : (uint32_t)pid;
		return err;
	}
	if (!arg[0] || strlen(arg) >= SERVICE_NAME_LEN)
		return selection_refuse(parsing->row->name, arg,
					"not a name of a service: give its name, its address, a "
					"glob or the PID of a server");
	snprintf(service->glob, sizeof(service->glob), "%s", arg);
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
		return selection_refuse(
			option, arg,
			"not a message: give its channel and its number, as in 17/4211");
	snprintf(word, sizeof(word), "%.*s", (int)(slash - arg), arg);
	err = parse_bounded(option, word, 0, UINT32_MAX, &number);
	if (!err)
		err = parse_bounded(option, slash + 1, 0, UINT64_MAX, position);
	*channel = (uint32_t)number;
	return err;
}

static int set_message(const struct parsing *parsing, char *arg, void *to)
{
	struct selection *selection = to;
	int err = parse_place(parsing->row->name, arg, &selection->message_channel,
			      &selection->message_position);

	selection->has_message = !err;
	return err;
}

/* Where the message is, is known only when the recording is read: see select_around(). */
static int set_around(const struct parsing *parsing, char *arg, void *to)
{
	struct select_options *options = to;
	const char *option = parsing->row->name;
	char why[PARSE_WHY_LEN];
	uint64_t position, ns;
	uint32_t channel;

	options->around = arg;
	if (strchr(arg, '/'))
		return parse_place(option, arg, &channel, &position);
	return parse_instant(arg, &ns, why) ? refuse_value(option, why) : 0;
}

static int set_against(const struct parsing *parsing, char *arg, void *to)
{
	struct select_options *options = to;

	(void)parsing;
	options->selection.against = !strcmp(arg, "middle")   ? AGAINST_MIDDLE
				     : !strcmp(arg, "others") ? AGAINST_OTHERS
							      : AGAINST_FILE;
	if (options->selection.against == AGAINST_FILE)
		options->against = arg;
	return 0;
}

/* One message is one unit: a round or a call has several. */
static int selection_check(void *input)
{
	const struct select_options *options = input;
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

const struct option_table select_table = {select_rows, selection_check};
const struct option_table report_select_table = {report_select_rows, selection_check};

bool select_around(const struct select_options *options, struct selection *place, uint64_t *ns)
{
	char why[PARSE_WHY_LEN];

	place->has_message = strchr(options->around, '/');
	if (place->has_message)
		return !parse_place("around", options->around, &place->message_channel,
				    &place->message_position);
	return !parse_instant(options->around, ns, why);
}

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
