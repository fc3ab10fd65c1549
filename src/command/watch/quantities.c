/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the quantities from messages and calls, and remembers the messages of the current round. */
#include "command/watch/quantities.h"

#include <errno.h>
#include <stdlib.h>

#define TICKS_KEPT 256

/* How late the server began a round. */
struct late_tick {
	uint64_t round; /* the warm-up included */
	uint64_t late_ns;
	bool is_known;
};

/* The last request of a client, and when it was received. */
struct open_request {
	uint32_t channel;
	uint64_t position;
	uint64_t round;
	uint64_t stamp_ns;
	uint64_t user_ns;
	bool is_known;
};

struct quantity_finder {
	const struct run_info *info;
	occasion_fn *fn;
	void *ctx;
	struct late_tick tick[TICKS_KEPT]; /* by round */
	struct open_request *request;      /* by client */
	struct occasion *arrival;          /* [ROUND_MESSAGES_MAX], of the current round */
	uint32_t arrival_cnt;
	uint64_t round;
};

struct quantity_finder *quantity_finder__new(const struct run_info *info, occasion_fn *fn,
					     void *ctx)
{
	struct quantity_finder *finder = calloc(1, sizeof(*finder));

	if (!finder)
		return NULL;
	finder->info = info;
	finder->fn = fn;
	finder->ctx = ctx;
	finder->request = calloc(info->workload.clients + 1, sizeof(*finder->request));
	finder->arrival = calloc(ROUND_MESSAGES_MAX, sizeof(*finder->arrival));
	if (finder->request && finder->arrival)
		return finder;
	quantity_finder__free(finder);
	return NULL;
}

static void drop_notes(struct quantity_finder *finder)
{
	for (uint32_t i = 0; finder->arrival && i < finder->arrival_cnt; i++)
		free(finder->arrival[i].note);
	finder->arrival_cnt = 0;
}

void quantity_finder__free(struct quantity_finder *finder)
{
	if (!finder)
		return;
	drop_notes(finder);
	free(finder->request);
	free(finder->arrival);
	free(finder);
}

void quantity_finder__record(struct quantity_finder *finder, const struct record *record)
{
	const struct record_tick *tick = (const void *)record;

	if (record->type != RECORD_TICK || tick->stamp_ns < tick->due_ns)
		return;
	finder->tick[tick->round % TICKS_KEPT] = (struct late_tick){
		.round = tick->round, .late_ns = tick->stamp_ns - tick->due_ns, .is_known = true};
}

/* In a run, the round of a message counts from the end of the warm-up. */
static void set_late(const struct quantity_finder *finder, const struct message *message,
		     struct quantities *all)
{
	uint64_t round = message->round + finder->info->workload.warmup;
	const struct late_tick *tick = &finder->tick[round % TICKS_KEPT];

	if (message->due_ns && message->stamp_ns >= message->due_ns)
		quantities_set(all, QUANTITY_LATE, message->stamp_ns - message->due_ns);
	else if (!message->due_ns && message->has_stamp && tick->is_known && tick->round == round)
		quantities_set(all, QUANTITY_LATE, tick->late_ns);
}

static void set_components(const struct quantity_finder *finder, const struct message *message,
			   struct quantities *all)
{
	bool is_attach = finder->info->mode == MODE_ATTACH;

	for (int i = 0; i < NR_COMPONENTS; i++) {
		if (message_knows(message, i, is_attach))
			quantities_set(all, (enum quantity)i, message->component_ns[i]);
	}
}

/* A round of an attach begins before the latency of its messages. */
static uint64_t quantities_begin_of(const struct message *message)
{
	if (message->has_stamp)
		return message->stamp_ns;
	return message->send_ns -
	       (message->has_round ? message->component_ns[COMPONENT_DISPATCH] : 0);
}

static uint64_t quantities_end_of(const struct message *message)
{
	return message->has_stamp ? message->user_ns : message->recv_ns;
}

static struct occasion occasion_of(const struct quantity_finder *finder,
				   const struct message *message)
{
	struct occasion occasion = {
		.channel = message->channel,
		.tid = message->receiver.tid,
		.position = message->position,
		.from_ns = quantities_begin_of(message),
		.at_ns = quantities_end_of(message),
	};

	if (!finder->info->traced)
		return occasion;
	quantities_set(&occasion.quantities, QUANTITY_LATENCY, message->latency_ns);
	set_components(finder, message, &occasion.quantities);
	set_late(finder, message, &occasion.quantities);
	return occasion;
}

/*
 *	from    received  answered       at
 *	  | request | service | response |
 */
static int pass_call(struct quantity_finder *finder, struct occasion *call, uint64_t received_ns,
		     uint64_t answered_ns)
{
	struct quantities *all = &call->quantities;

	quantities_set(all, QUANTITY_ROUND_TRIP, call->at_ns - call->from_ns);
	quantities_set(all, QUANTITY_REQUEST, received_ns - call->from_ns);
	quantities_set(all, QUANTITY_SERVICE, answered_ns - received_ns);
	quantities_set(all, QUANTITY_RESPONSE, call->at_ns - answered_ns);
	return finder->fn(finder->ctx, call);
}

/* Instants are what the program has read: the stamp of each message, and when it was received. */
static int quantities_add_to_call(struct quantity_finder *finder, const struct message *message)
{
	struct open_request *request = &finder->request[message->client];
	struct occasion occasion = {
		.channel = request->channel,
		.tid = message->receiver.tid,
		.position = request->position,
		.is_call = true,
		.from_ns = request->stamp_ns,
		.at_ns = message->user_ns,
	};

	if (message->to_server) {
		*request = (struct open_request){.channel = message->channel,
						 .position = message->position,
						 .round = message->round,
						 .stamp_ns = message->stamp_ns,
						 .user_ns = message->user_ns,
						 .is_known = true};
		return 0;
	}
	if (!request->is_known || request->round != message->round)
		return 0;
	request->is_known = false;
	return pass_call(finder, &occasion, request->user_ns, message->stamp_ns);
}

int quantity_finder__message(struct quantity_finder *finder, const struct message *message)
{
	const struct workload_spec *spec = &finder->info->workload;
	struct occasion occasion = occasion_of(finder, message);
	bool is_of_call = finder->info->mode == MODE_RUN && spec_has_calls(spec) &&
			  message->has_stamp && message->client <= spec->clients;
	int err = finder->fn(finder->ctx, &occasion);

	return err || !is_of_call ? err : quantities_add_to_call(finder, message);
}

int quantity_finder__call(struct quantity_finder *finder, const struct call *call)
{
	struct occasion occasion = {
		.channel = call->channel,
		.tid = call->client.tid,
		.position = call->position,
		.is_call = true,
		.from_ns = call->sent_ns,
		.at_ns = call->back_ns,
	};

	/* Which answer belongs to which request is not known. */
	if (call->match == CALL_SEVERAL)
		return 0;
	return pass_call(finder, &occasion, call->received_ns, call->answered_ns);
}

static uint64_t latency_of(const struct occasion *arrival)
{
	return arrival->at_ns - arrival->from_ns;
}

static int quantities_compare_arrivals(const void *a, const void *b)
{
	uint64_t x = latency_of(a), y = latency_of(b);

	return (x > y) - (x < y);
}

/* An incomplete round has no last message. */
static int end_round(struct quantity_finder *finder, bool is_complete)
{
	uint32_t cnt = finder->arrival_cnt;
	int err = 0;

	qsort(finder->arrival, cnt, sizeof(*finder->arrival), quantities_compare_arrivals);
	for (uint32_t i = 0; !err && i < cnt; i++) {
		struct occasion *arrival = &finder->arrival[i];
		uint64_t ns = latency_of(arrival);

		if (!i)
			quantities_set(&arrival->quantities, QUANTITY_FIRST, ns);
		else
			quantities_set(&arrival->quantities, QUANTITY_NEXT,
				       ns - latency_of(arrival - 1));
		if (is_complete && i == cnt - 1)
			quantities_set(&arrival->quantities, QUANTITY_LAST, ns);
		err = finder->fn(finder->ctx, arrival);
	}
	drop_notes(finder);
	return err;
}

/* In an attach the number of a round's messages comes with them. */
static bool quantities_is_complete(const struct quantity_finder *finder,
				   const struct message *message)
{
	uint32_t size = finder->info->mode == MODE_RUN ? finder->info->workload.clients
						       : message->round_size;

	return size && finder->arrival_cnt >= size;
}

int quantity_finder__in_round(struct quantity_finder *finder, const struct message *message,
			      bool was_true, char *note)
{
	bool has_round = message->has_round && !message->to_server;
	struct occasion *arrival;
	int err = 0;

	if (has_round && finder->arrival_cnt && message->round != finder->round)
		err = end_round(finder, false);
	if (err || !has_round || finder->arrival_cnt == ROUND_MESSAGES_MAX) {
		free(note);
		return err;
	}
	finder->round = message->round;
	arrival = &finder->arrival[finder->arrival_cnt++];
	*arrival = occasion_of(finder, message);
	arrival->is_of_round = true;
	arrival->was_true = was_true;
	arrival->note = note;
	return quantities_is_complete(finder, message) ? end_round(finder, true) : 0;
}

int quantity_finder__finish(struct quantity_finder *finder)
{
	return end_round(finder, false);
}
