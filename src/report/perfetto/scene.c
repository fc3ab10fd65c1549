/* SPDX-License-Identifier: BSD-2-Clause */
/* Puts what several parts of a picture need. */
#include "report/perfetto/scene.h"

/* Short numbers take less room in a file: above the bits of a number is that of the run. */
#define NUMBER_BITS 44

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

void scene_lost(struct scene *scene, uint64_t from_ns, uint64_t to_ns, const char *what)
{
	struct event event = {.name = what, .category = "lost"};

	for (uint32_t i = 0; i < LOST_KEPT; i++) {
		if (scene->last_lost[i].from_ns == from_ns && scene->last_lost[i].to_ns == to_ns)
			return;
	}
	scene->last_lost[scene->next_lost] = (struct lost_stretch){from_ns, to_ns};
	scene->next_lost = (scene->next_lost + 1) % LOST_KEPT;
	lanes_put(&scene->lost, scene->packets, &event, from_ns, to_ns);
}

uint64_t correlation_of(const struct scene *scene, enum correlation what, uint64_t number)
{
	return scene->run << (NUMBER_BITS + 2) | (number & ((1ULL << NUMBER_BITS) - 1)) << 2 | what;
}

/* The last steps of splitmix64. */
uint64_t mixed(uint64_t a, uint64_t b)
{
	uint64_t x = a * 0x9e3779b97f4a7c15ULL + b;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}
