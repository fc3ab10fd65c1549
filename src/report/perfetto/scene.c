/* SPDX-License-Identifier: BSD-2-Clause */
/* Puts what several parts of a picture need. */
#include "report/perfetto/scene.h"

/*
 * One slice ends strictly before the next one begins: the order of packets does not matter then.
 */
uint64_t lanes_take(struct lanes *lanes, struct packets *packets, uint64_t from_ns, uint64_t to_ns)
{
	struct track track = {.parent = lanes->parent, .name = lanes->name, .rank = lanes->rank};
	uint32_t id;

	if (fit_take(&lanes->fit, from_ns, to_ns, false, &id))
		return lanes->fit.place[id].track;
	if (!fit_add(&lanes->fit, to_ns, &id)) {
		packets__fail(packets);
		return 0;
	}
	track.uuid = lanes->fit.place[id].track = packets__uuid(packets);
	packets__track(packets, &track);
	return track.uuid;
}

void slice_put(struct packets *packets, struct event *event, uint64_t from_ns, uint64_t to_ns)
{
	event->type = EVENT_BEGIN;
	event->at_ns = from_ns;
	packets__begin(packets, from_ns, to_ns);
	packets__put(packets, event);
	slice_end(packets, event->track, to_ns);
}

void slice_end(struct packets *packets, uint64_t track, uint64_t at_ns)
{
	const struct event end = {.type = EVENT_END, .track = track, .at_ns = at_ns};

	packets__put(packets, &end);
}

uint64_t scene_group(struct scene *scene, const char *name, int32_t rank)
{
	const struct track track = {.uuid = packets__uuid(scene->packets),
				    .parent = scene->root,
				    .name = name,
				    .rank = rank,
				    .has_ranks = true};

	packets__track(scene->packets, &track);
	return track.uuid;
}

void scene_lost(struct scene *scene, uint64_t from_ns, uint64_t to_ns, struct event *what)
{
	for (uint32_t i = 0; i < LOST_KEPT; i++) {
		if (scene->last_lost[i].from_ns == from_ns && scene->last_lost[i].to_ns == to_ns)
			return;
	}
	scene->last_lost[scene->next_lost] = (struct span){from_ns, to_ns};
	scene->next_lost = (scene->next_lost + 1) % LOST_KEPT;
	what->category = "lost";
	what->track = lanes_take(&scene->lost, scene->packets, from_ns, to_ns);
	slice_put(scene->packets, what, from_ns, to_ns);
}

void event_note_thread(struct event *event, const struct party *thread)
{
	if (thread->comm[0])
		event_note_text(event, "thread", thread->comm);
	event_note(event, "tid", thread->tid);
}
