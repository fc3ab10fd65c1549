/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses --explain, which adds an explanation to the report of a run or an attach. */
#include "cli/explain_live.h"

#include "cli/options.h"
#include "cli/output.h"
#include "cli/selection.h"
#include "report/format.h"
#include "util/log.h"

#include <errno.h>

enum { KEY_EXPLAIN = 0x800, KEY_SLOWEST };

static const struct argp_option explain_option[] = {
	{0, 0, 0, 0, "Why slow messages are slow:", 0},
	{"explain", KEY_EXPLAIN, 0, 0,
	 "Explain after the report why the slow messages were slow, as ipctrace explain does. The "
	 "level is deep then, unless --level says otherwise.",
	 0},
	{"slowest", KEY_SLOWEST, "N%|N", 0,
	 "Explain the slowest ones: a share of all, or a number (default: 1%)", 0},
	{0},
};

static error_t parse_explain(int key, char *arg, struct argp_state *state)
{
	struct explain_live_options *options = state->input;

	switch (key) {
	case KEY_EXPLAIN:
		options->is_asked = true;
		return 0;
	case KEY_SLOWEST:
		options->select.given = "slowest";
		return select_slowest(arg, &options->select.selection);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp explain_live_argp = {.options = explain_option, .parser = parse_explain};

/* A recording of slow messages lacks those that they are compared with. */
static int check_record(const struct output_options *output, const char *record)
{
	bool is_of_format = output->format->illustrate;

	if (!record || !output->slower_than_ns || !(output->format->explanation || is_of_format))
		return 0;
	log_error("--%s: --record '%s': with --slower-than it lacks what slow messages are "
		  "compared with: leave out --slower-than, and give it to ipctrace %s",
		  is_of_format ? "format" : "explain", record, is_of_format ? "report" : "explain");
	return EINVAL;
}

int explain_live_finish(struct explain_live_options *options, const struct output_options *output,
			const char *record)
{
	/* The report is made of a recording, and has the explanation in it. */
	if (output->format->wants_recording)
		options->is_asked = true;
	if (!options->is_asked && options->select.given) {
		log_error("--slowest: no --explain: it says which messages are explained: add "
			  "--explain");
		return EINVAL;
	}
	if (!options->is_asked)
		return 0;
	if (!output->format->explanation && !output->format->wants_recording) {
		log_error("--explain: --format '%s': it has no explanations: use text or "
			  "json, or record and use ipctrace explain",
			  output->format->name);
		return EINVAL;
	}
	select_of_output(&options->select, output);
	return check_record(output, record);
}
