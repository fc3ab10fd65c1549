/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses --trigger, --stop-at and --on-slow, and what belongs to them. */
#include "cli/watch.h"

#include "cli/condition.h"
#include "util/clock.h"
#include "util/log.h"
#include "util/parse.h"

#include <errno.h>
#include <stdio.h>

enum { KEY_TRIGGER = 0x600, KEY_KEEP, KEY_COUNT, KEY_STOP_AT, KEY_ON_SLOW };

/* With many slow messages, windows of a second would be the whole recording. */
#define KEEP_NS        NSEC_PER_SEC
#define KEEP_SLOWER_NS (100 * NSEC_PER_MSEC)

/* The message of --stop-at is explained at once, from the records of this time. */
#define KEEP_STOP_NS (200 * NSEC_PER_MSEC)

static const struct argp_option watch_option[] = {
	{0, 0, 0, 0, "What to do about slow messages:", 0},
	{"trigger", KEY_TRIGGER, "EXPR", 0,
	 "Record only the time around messages and calls for which EXPR is true, and the "
	 "statistics of all. The rest is never written (default: record everything).",
	 0},
	{"keep", KEY_KEEP, "DUR", 0,
	 "Record from this long before such a message until 100ms after it (default: 1s; 100ms "
	 "with --slower-than)",
	 0},
	{"count", KEY_COUNT, "N", 0,
	 "Stop after N such messages have been recorded. One within 100ms of another does not "
	 "count (default: no limit).",
	 0},
	{"stop-at", KEY_STOP_AT, "DUR|EXPR", 0,
	 "Stop at the first message that is slower than DUR, or for which EXPR is true, and "
	 "explain it. The exit status is then 3 (default: do not stop).",
	 0},
	{"on-slow", KEY_ON_SLOW, "CMD", 0,
	 "Execute CMD for messages of --trigger or --slower-than. CMD gets the message on stdin as "
	 "a line of JSON, and runs as the user that called sudo. While it runs, further messages "
	 "are skipped (default: no command).",
	 0},
	{0},
};

/* A duration is a limit of the latency. */
static int parse_stop(const char *arg, struct condition *stop)
{
	char why[PARSE_WHY_LEN];
	uint64_t ns;

	if (*arg < '0' || *arg > '9')
		return parse_condition("stop-at", arg, stop);
	if (parse_duration(arg, &ns, why))
		return refuse_value("stop-at", why);
	*stop = condition_slower_than(ns);
	return 0;
}

static error_t parse_watch(int key, char *arg, struct argp_state *state)
{
	struct watch_options *watch = state->input;

	switch (key) {
	case KEY_TRIGGER:
		watch->has_trigger = true;
		return parse_condition("trigger", arg, &watch->trigger);
	case KEY_KEEP:
		watch->has_keep = true;
		return parse_period("keep", arg, &watch->keep_ns);
	case KEY_COUNT:
		return parse_count("count", arg, UINT32_MAX, &watch->count);
	case KEY_STOP_AT:
		return parse_stop(arg, &watch->stop);
	case KEY_ON_SLOW:
		watch->on_slow = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp watch_argp = {.options = watch_option, .parser = parse_watch};

static int refuse_alone(const char *option, const char *lack, const char *remedy)
{
	log_error("--%s: %s: %s", option, lack, remedy);
	return EINVAL;
}

static int check(const struct watch_options *watch, const char *record)
{
	bool has_condition = watch->trigger.step_cnt;

	if (watch->has_trigger && !record && !watch->on_slow)
		return refuse_alone("trigger", "nothing is to be done at it",
				    "add --record FILE or --on-slow CMD");
	if (watch->on_slow && !has_condition)
		return refuse_alone("on-slow", "no message is slow",
				    "add --slower-than DUR or --trigger EXPR");
	if (watch->has_keep && !(record && has_condition))
		return refuse_alone("keep", "nothing is recorded in parts",
				    "add --record FILE and --trigger EXPR");
	if (watch->count && !(record && has_condition))
		return refuse_alone("count", "nothing is recorded in parts",
				    "add --record FILE and --trigger EXPR");
	return 0;
}

int watch_options_finish(struct watch_options *watch, const struct output_options *output,
			 const char *record)
{
	bool uses_slower = record || watch->on_slow;

	if (!watch->has_trigger && output->slower_than_ns && uses_slower)
		watch->trigger = condition_slower_than(output->slower_than_ns);
	if (!watch->has_keep)
		watch->keep_ns = watch->has_trigger        ? KEEP_NS
				 : watch->trigger.step_cnt ? KEEP_SLOWER_NS
							   : KEEP_STOP_NS;
	return check(watch, record);
}
