/* SPDX-License-Identifier: BSD-2-Clause */
/* In a run, pairs each response with the request of its client that has the same number. */
#include "report/perfetto/call_tracks.h"

#include <stdlib.h>
#include <string.h>

/* The last request of a client; to_ns 0: none. */
struct request {
	uint64_t number;
	uint64_t from_ns;
	uint64_t to_ns;
};

struct call_tracks {
	struct lanes lanes;
	struct request *request; /* by client; NULL: an attach */
};

/* The parts of a call: sent, received, answered, back. */
struct parts {
	uint64_t at_ns[4];
};

struct call_tracks *call_tracks__new(struct scene *scene)
{
	struct call_tracks *calls = calloc(1, sizeof(*calls));
	bool is_run = scene->info.mode == MODE_RUN;

	if (!calls)
		return NULL;
	calls->lanes = (struct lanes){.parent = scene->root, .name = "calls", .rank = 3};
	if (is_run)
		calls->request = calloc(scene->info.workload.clients + 1, sizeof(*calls->request));
	if (!is_run || calls->request)
		return calls;
	free(calls);
	return NULL;
}

void call_tracks__free(struct call_tracks *calls)
{
	if (!calls)
		return;
	lanes_free(&calls->lanes);
	free(calls->request);
	free(calls);
}

static void put_part(struct scene *scene, uint64_t track, const char *name, uint64_t from_ns,
		     uint64_t to_ns)
{
	const struct event begin = {.type = EVENT_BEGIN,
				    .track = track,
				    .at_ns = from_ns,
				    .name = name,
				    .category = "call"};
	const struct event end = {.type = EVENT_END, .track = track, .at_ns = to_ns};

	packets__put(scene->packets, &begin);
	packets__put(scene->packets, &end);
}

/* `event`: the begin, without track and instant. */
static void put(struct call_tracks *calls, struct scene *scene, struct event *event,
		const struct parts *parts)
{
	static const char *const names[] = {"request", "service", "response"};
	uint64_t from_ns = parts->at_ns[0], to_ns = parts->at_ns[3];
	uint64_t track = lanes_take(&calls->lanes, scene->packets, from_ns, to_ns);
	const struct event end = {.type = EVENT_END, .track = track, .at_ns = to_ns};

	event->type = EVENT_BEGIN;
	event->track = track;
	event->at_ns = from_ns;
	event->category = "call";
	packets__begin(scene->packets, from_ns, to_ns);
	packets__put(scene->packets, event);
	for (size_t i = 0; i < 3; i++)
		put_part(scene, track, names[i], parts->at_ns[i], parts->at_ns[i + 1]);
	packets__put(scene->packets, &end);
}

static bool is_in_order(const struct parts *parts)
{
	return parts->at_ns[0] <= parts->at_ns[1] && parts->at_ns[1] <= parts->at_ns[2] &&
	       parts->at_ns[2] <= parts->at_ns[3];
}

static void put_answered(struct call_tracks *calls, struct scene *scene,
			 const struct request *request, const struct message *response)
{
	const struct parts parts = {{request->from_ns, request->to_ns, message_begin_ns(response),
				     message_end_ns(response)}};
	struct event event = {.name = "call"};

	if (!is_in_order(&parts))
		return;
	event_note(&event, "call", request->number);
	event_note(&event, "client", response->client);
	put(calls, scene, &event, &parts);
}

void call_tracks__message(struct call_tracks *calls, struct scene *scene,
			  const struct message *message)
{
	struct request *request;

	if (!calls->request || !message->has_round || !spec_has_calls(&scene->info.workload) ||
	    message->client > scene->info.workload.clients)
		return;
	request = &calls->request[message->client];
	if (message->to_server) {
		*request = (struct request){.number = message->round,
					    .from_ns = message_begin_ns(message),
					    .to_ns = message_end_ns(message)};
		return;
	}
	if (request->to_ns && request->number == message->round)
		put_answered(calls, scene, request, message);
	request->to_ns = 0;
}

void call_tracks__call(struct call_tracks *calls, struct scene *scene, const struct call *call)
{
	const struct parts parts = {
		{call->sent_ns, call->received_ns, call->answered_ns, call->back_ns}};
	struct event event = {.name = "call"};

	if (!is_in_order(&parts))
		return;
	event_note(&event, "call", call->number);
	event_note_text(&event, "client", call->client.comm);
	event_note_text(&event, "server", call->server.comm);
	event_note_text(&event, "match", call_match_names[call->match]);
	event_note(&event, "channel", call->channel);
	event_note(&event, "seq", call->position);
	put(calls, scene, &event, &parts);
}
