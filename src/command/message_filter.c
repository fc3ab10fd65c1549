/* SPDX-License-Identifier: BSD-2-Clause */
/* Decides which messages and calls a report shows. */
#include "command/message_filter.h"

#include "cli/selection.h"
#include "explain/explainer.h"
#include "explain/ranks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The latencies of messages, or those of calls. */
struct ranked {
	struct ranks ranks; /* while they are collected */
	bool is_chosen;
	struct bounds bounds;
};

struct message_filter {
	struct selection selection;
	uint64_t begin_ns;         /* of tracing */
	bool has_ranks;            /* the slowest ones are wanted */
	struct selection searched; /* has the message of --around, until it is found */
	struct ranked messages;
	struct ranked calls;
};

/* Only the time around the instant passes. Other limits of the time stay. */
static void show_around(struct message_filter *filter, uint64_t from_ns, uint64_t to_ns)
{
	struct select_range *between = &filter->selection.between_ns;
	uint64_t first_ns = from_ns > AROUND_NS ? from_ns - AROUND_NS : 0;
	uint64_t last_ns = to_ns + AROUND_NS;

	if (!between->is_set)
		*between = (struct select_range){.is_set = true, .last = UINT64_MAX};
	if (first_ns > between->first)
		between->first = first_ns;
	if (last_ns < between->last)
		between->last = last_ns;
}

static void begin_around(struct message_filter *filter, const struct select_options *options)
{
	uint64_t ns;

	if (select_around(options, &filter->searched, &ns) && !filter->searched.has_message)
		show_around(filter, ns, ns);
}

struct message_filter *message_filter__new(const struct select_options *options,
					   const struct run_info *info)
{
	struct message_filter *filter = calloc(1, sizeof(*filter));

	if (!filter)
		return NULL;
	filter->selection = options->selection;
	filter->begin_ns = info->begin.ns;
	filter->has_ranks =
		options->selection.slowest_cnt > 0 || options->selection.slowest_percent > 0;
	filter->messages.ranks.exact_max = EXPLAIN_EXACT_MAX;
	filter->calls.ranks.exact_max = EXPLAIN_EXACT_MAX;
	if (options->around)
		begin_around(filter, options);
	if (select_client(options, info, &filter->selection)) {
		message_filter__free(filter);
		errno = EINVAL;
		return NULL;
	}
	return filter;
}

void message_filter__free(struct message_filter *filter)
{
	if (!filter)
		return;
	ranks_clean(&filter->messages.ranks);
	ranks_clean(&filter->calls.ranks);
	free(filter);
}

bool message_filter__needs_ranks(const struct message_filter *filter)
{
	return filter->has_ranks;
}

bool message_filter__needs_search(const struct message_filter *filter)
{
	return filter->searched.has_message;
}

bool message_filter__search(struct message_filter *filter, const struct message *message)
{
	uint64_t from_ns = message_begin_ns(message), to_ns = message_end_ns(message);

	if (!filter->searched.has_message || filter->searched.message_channel != message->channel ||
	    filter->searched.message_position != message->position)
		return !filter->searched.has_message;
	filter->searched.has_message = false;
	show_around(filter, from_ns - filter->begin_ns, to_ns - filter->begin_ns);
	return true;
}

/* Only traced messages have a unit, which knows the processes at both ends. */
static struct unit unit_of_message(const struct message *message)
{
	uint64_t from_ns = message->has_stamp ? message->stamp_ns : message->send_ns;
	struct unit unit = {.from_ns = from_ns,
			    .to_ns = from_ns + message->latency_ns,
			    .channel = message->channel,
			    .position = message->position,
			    .sender = message->sender,
			    .receiver = message->receiver};

	if (message->unit)
		unit = *message->unit;
	/* In an attach, the round is known only when the message is handed out. */
	unit.has_round = message->has_round;
	unit.round = message->round;
	unit.client = message->client;
	return unit;
}

/* The first thread of a process has its number; other processes are not known here. */
static struct unit message_filter_unit_of_call(const struct call *call)
{
	return (struct unit){.kind = UNIT_CALL,
			     .from_ns = call->sent_ns,
			     .to_ns = call->back_ns,
			     .channel = call->channel,
			     .position = call->position,
			     .sender = call->client,
			     .receiver = call->server,
			     .sender_pid = call->client.tid,
			     .receiver_pid = call->server.tid};
}

static bool passes_filters(const struct message_filter *filter, const struct unit *unit)
{
	const struct selection *selection = &filter->selection;

	return selection_passes(selection, unit, filter->begin_ns) &&
	       (!selection->has_message || selection_is_message(selection, unit));
}

static int message_filter_rank(const struct message_filter *filter, struct ranked *ranked,
			       const struct unit *unit)
{
	return passes_filters(filter, unit) ? ranks_add(&ranked->ranks, unit_latency_ns(unit)) : 0;
}

int message_filter__rank_message(void *ctx, const struct message *message)
{
	struct message_filter *filter = ctx;
	struct unit unit = unit_of_message(message);

	return message_filter_rank(filter, &filter->messages, &unit);
}

int message_filter__rank_call(void *ctx, const struct call *call)
{
	struct message_filter *filter = ctx;
	struct unit unit = message_filter_unit_of_call(call);

	return message_filter_rank(filter, &filter->calls, &unit);
}

/* The first use ends the collection. */
static bool message_filter_is_slow(const struct message_filter *filter, struct ranked *ranked,
				   const struct unit *unit)
{
	if (!filter->has_ranks)
		return true;
	if (!ranked->is_chosen) {
		ranks_choose(&ranked->ranks, &filter->selection, &ranked->bounds);
		ranks_clean(&ranked->ranks);
		ranked->is_chosen = true;
	}
	return bounds_are_slow(&ranked->bounds, unit_latency_ns(unit));
}

static bool message_filter_passes(const struct message_filter *filter, struct ranked *ranked,
				  const struct unit *unit)
{
	return passes_filters(filter, unit) && message_filter_is_slow(filter, ranked, unit);
}

bool message_filter__passes_message(struct message_filter *filter, const struct message *message)
{
	struct unit unit = unit_of_message(message);

	return message_filter_passes(filter, &filter->messages, &unit);
}

bool message_filter__passes_call(struct message_filter *filter, const struct call *call)
{
	struct unit unit = message_filter_unit_of_call(call);

	return message_filter_passes(filter, &filter->calls, &unit);
}

/* Without any, selection_text() names the default of explanations, which is none of reports. */
void select_text(const struct select_options *options, char text[SELECT_TEXT_LEN])
{
	const struct selection *selection = &options->selection;
	bool has_default = selection->slowest_percent <= 0 && !selection->slowest_cnt &&
			   !selection->has_message;
	char whole[SELECT_TEXT_LEN];
	const char *comma;
	size_t length;

	selection_text(selection, whole);
	comma = has_default ? strchr(whole, ',') : NULL;
	snprintf(text, SELECT_TEXT_LEN, "%s", !has_default ? whole : comma ? comma + 2 : "");
	length = strlen(text);
	if (options->around)
		snprintf(text + length, SELECT_TEXT_LEN - length, "%saround %s", length ? ", " : "",
			 options->around);
	length = strlen(text);
	if (options->client)
		snprintf(text + length, SELECT_TEXT_LEN - length, "%sclient %s", length ? ", " : "",
			 options->client);
}
