/* SPDX-License-Identifier: BSD-2-Clause */
/* Puts what several parts of a picture need. */
#include "report/perfetto/scene.h"

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
	scene->last_lost[scene->next_lost] = (struct lost_stretch){from_ns, to_ns};
	scene->next_lost = (scene->next_lost + 1) % LOST_KEPT;
	what->category = "lost";
	lanes_put(&scene->lost, scene->packets, what, from_ns, to_ns);
}

void event_note_thread(struct event *event, const struct party *thread)
{
	if (thread->comm[0])
		event_note_text(event, "thread", thread->comm);
	event_note(event, "tid", thread->tid);
}
