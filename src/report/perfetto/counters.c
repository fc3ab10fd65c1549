/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorts begins and ends of messages with a heap of limited size. */
#include "report/perfetto/tracks.h"

static uint64_t add_track(struct scene *scene, uint64_t group, const char *name,
			  enum track_unit unit, int32_t rank)
{
	const struct track track = {.uuid = packets__uuid(scene->packets),
				    .parent = group,
				    .name = name,
				    .unit = unit,
				    .rank = rank};

	packets__track(scene->packets, &track);
	return track.uuid;
}

void counters_begin(struct counters *counters, struct scene *scene)
{
	uint64_t group = scene_group(scene, "counters", 5);

	counters->group = group;
	counters->latency = add_track(scene, group, "latency", TRACK_OF_NS, 1);
	counters->flight = add_track(scene, group, "in flight", TRACK_OF_CNT, 2);
	counters->lateness = 0;
	counters->last_stamp_ns = counters->written_ns = counters->left_out = 0;
	counters->in_flight = counters->cnt = 0;
}

static void counters_put(struct scene *scene, uint64_t track, uint64_t at_ns, int64_t value)
{
	const struct event event = {
		.type = EVENT_COUNTER, .track = track, .at_ns = at_ns, .value = value};

	packets__put_one(scene->packets, &event);
}

/* Ends come before begins, as lanes see it. */
static bool counters_is_before(const struct step *a, const struct step *b)
{
	return a->at_ns != b->at_ns ? a->at_ns < b->at_ns : a->change < b->change;
}

static void counters_swap(struct step *a, struct step *b)
{
	struct step old = *a;

	*a = *b;
	*b = old;
}

static void counters_push(struct counters *counters, uint64_t at_ns, int32_t change)
{
	struct step *heap = counters->heap;
	uint32_t i = counters->cnt++;

	heap[i] = (struct step){.at_ns = at_ns, .change = change};
	for (; i && counters_is_before(&heap[i], &heap[(i - 1) / 2]); i = (i - 1) / 2)
		counters_swap(&heap[i], &heap[(i - 1) / 2]);
}

static struct step pop(struct counters *counters)
{
	struct step *heap = counters->heap, first = heap[0];
	uint32_t cnt = --counters->cnt, i = 0;

	heap[0] = heap[cnt];
	for (;;) {
		uint32_t least = 2 * i + 1;

		if (least + 1 < cnt && counters_is_before(&heap[least + 1], &heap[least]))
			least++;
		if (least >= cnt || !counters_is_before(&heap[least], &heap[i]))
			return first;
		counters_swap(&heap[i], &heap[least]);
		i = least;
	}
}

/* All changes of the earliest instant. */
static void write_first(struct counters *counters, struct scene *scene)
{
	uint64_t at_ns = counters->heap[0].at_ns;

	while (counters->cnt && counters->heap[0].at_ns == at_ns)
		counters->in_flight += pop(counters).change;
	counters->written_ns = at_ns;
	counters_put(scene, counters->flight, at_ns, counters->in_flight);
}

static void add_flight(struct counters *counters, struct scene *scene,
		       const struct message *message)
{
	if (message_begin_ns(message) <= counters->written_ns) {
		counters->left_out++;
		return;
	}
	while (counters->cnt + 2 > FLIGHT_MAX)
		write_first(counters, scene);
	if (message_begin_ns(message) <= counters->written_ns) {
		counters->left_out++;
		return;
	}
	counters_push(counters, message_begin_ns(message), 1);
	counters_push(counters, message_end_ns(message), -1);
}

/*
 * The messages of a round have one stamp. An answer has the instant at which its request was due.
 */
static void add_lateness(struct counters *counters, struct scene *scene,
			 const struct message *message)
{
	bool begins = message->to_server == spec_has_calls(&scene->info.workload);

	if (!message->due_ns || !message->has_stamp || !begins ||
	    message->stamp_ns < message->due_ns || message->stamp_ns == counters->last_stamp_ns)
		return;
	if (!counters->lateness)
		counters->lateness = add_track(scene, counters->group, "lateness", TRACK_OF_NS, 3);
	counters->last_stamp_ns = message->stamp_ns;
	counters_put(scene, counters->lateness, message->stamp_ns,
		     (int64_t)(message->stamp_ns - message->due_ns));
}

void counters_message(struct counters *counters, struct scene *scene, const struct message *message)
{
	counters_put(scene, counters->latency, message_end_ns(message),
		     (int64_t)message->latency_ns);
	add_flight(counters, scene, message);
	add_lateness(counters, scene, message);
}

uint64_t counters_finish(struct counters *counters, struct scene *scene)
{
	while (counters->cnt)
		write_first(counters, scene);
	return counters->left_out;
}
