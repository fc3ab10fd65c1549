/* SPDX-License-Identifier: BSD-2-Clause */
/* In a run, pairs each response with the request of its client that has the same number. */
#include "report/perfetto/tracks.h"

#include <stdlib.h>

/* The last request of a client; to_ns 0: none. */
struct request {
	uint64_t number;
	uint64_t from_ns;
	uint64_t to_ns;
};

struct shown_call {
	uint64_t at_ns[4]; /* sent, received, answered, back */
	uint64_t number;
	uint32_t client_number; /* in a run; 0: an attach, of which all that follows is */
	struct party client;
	struct party server;
	const char *match;
	uint32_t channel;
	uint64_t position;
};

struct call_tracks {
	struct lanes lanes;
	struct request *request; /* by client; NULL: an attach */
	struct shown_call slowest;
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
	fit_free(&calls->lanes.fit);
	free(calls->request);
	free(calls);
}

/* `message`: the one whose components are drawn; NULL: none is known. */
static void call_tracks_put_part(struct scene *scene, uint64_t track, const char *name,
				 uint64_t from_ns, uint64_t to_ns, const struct message *message)
{
	const struct event begin = {.type = EVENT_BEGIN,
				    .track = track,
				    .at_ns = from_ns,
				    .name = name,
				    .category = "call"};

	packets__put(scene->packets, &begin);
	if (message)
		components_put(scene, track, message);
	slice_end(scene->packets, track, to_ns);
}

static void note_call(struct event *event, const struct shown_call *call)
{
	event_note(event, "call", call->number);
	if (call->client_number) {
		event_note(event, "client", call->client_number);
		return;
	}
	event_note_text(event, "client", call->client.comm);
	event_note_text(event, "server", call->server.comm);
	event_note_text(event, "match", call->match);
	event_note(event, "channel", call->channel);
	event_note(event, "seq", call->position);
}

/* `slowest`: messages whose components are drawn, if they are of the call. */
static void put_on(struct scene *scene, uint64_t track, const char *name,
		   const struct shown_call *call, const struct slowest *slowest)
{
	static const char *const names[] = {"request", "service", "response"};
	const uint64_t *at_ns = call->at_ns;
	struct event event = {.type = EVENT_BEGIN,
			      .track = track,
			      .at_ns = at_ns[0],
			      .name = name,
			      .category = "call"};

	note_call(&event, call);
	packets__begin(scene->packets, at_ns[0], at_ns[3]);
	packets__put(scene->packets, &event);
	for (size_t i = 0; i < 3; i++)
		call_tracks_put_part(scene, track, names[i], at_ns[i], at_ns[i + 1],
				     slowest_find(slowest, at_ns[i], at_ns[i + 1]));
	slice_end(scene->packets, track, at_ns[3]);
}

static uint64_t call_tracks_length_of(const struct shown_call *call)
{
	return call->at_ns[3] - call->at_ns[0];
}

static void call_tracks_put(struct call_tracks *calls, struct scene *scene,
			    const struct shown_call *call, bool is_full)
{
	const uint64_t *at_ns = call->at_ns;

	if (at_ns[0] > at_ns[1] || at_ns[1] > at_ns[2] || at_ns[2] > at_ns[3])
		return;
	if (call_tracks_length_of(call) > call_tracks_length_of(&calls->slowest))
		calls->slowest = *call;
	if (is_full)
		return;
	put_on(scene, lanes_take(&calls->lanes, scene->packets, at_ns[0], at_ns[3]), "call", call,
	       NULL);
}

struct span call_tracks__put_slowest(const struct call_tracks *calls, struct scene *scene,
				     const struct slowest *slowest)
{
	const struct shown_call *call = &calls->slowest;

	if (call_tracks_length_of(call))
		put_on(scene, scene->root, "slowest call", call, slowest);
	return (struct span){call->at_ns[0], call->at_ns[3]};
}

void call_tracks__message(struct call_tracks *calls, struct scene *scene,
			  const struct message *message, bool is_full)
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
	if (request->to_ns && request->number == message->round) {
		const struct shown_call call = {.at_ns = {request->from_ns, request->to_ns,
							  message_begin_ns(message),
							  message_end_ns(message)},
						.number = request->number,
						.client_number = message->client};

		call_tracks_put(calls, scene, &call, is_full);
	}
	request->to_ns = 0;
}

void call_tracks__call(struct call_tracks *calls, struct scene *scene, const struct call *call,
		       bool is_full)
{
	const struct shown_call shown = {
		.at_ns = {call->sent_ns, call->received_ns, call->answered_ns, call->back_ns},
		.number = call->number,
		.client = call->client,
		.server = call->server,
		.match = call_match_names[call->match],
		.channel = call->channel,
		.position = call->position};

	call_tracks_put(calls, scene, &shown, is_full);
}
