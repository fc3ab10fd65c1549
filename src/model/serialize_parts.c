/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Converts the parts that several members of a summary have to 64-bit words and back: blame,
 * components and ends of channels, and what options that name processes have met. Blame is what ran
 * while the receiver waited for a CPU.
 */
#include "model/kept_summary.h"

/* A new member belongs into this file, and the version of recordings has to be raised. */
_Static_assert(sizeof(struct blame) == 56, "blame");

void serialize_blame(struct serializer *s, struct blame *blame)
{
	SERIALIZER_BELOW(s, blame->class, NR_BLAME_CLASSES);
	SERIALIZER(s, blame->kind);
	SERIALIZER(s, blame->tid);
	SERIALIZER(s, blame->ns);
	SERIALIZER(s, blame->policy);
	SERIALIZER(s, blame->priority);
	SERIALIZER_TEXT(s, blame->comm);
}

void serialize_components(struct serializer *s, uint64_t ns[NR_COMPONENTS])
{
	for (int i = 0; i < NR_COMPONENTS; i++)
		SERIALIZER(s, ns[i]);
}

void serialize_component(struct serializer *s, uint32_t *component)
{
	serializer_below(s, component, NR_COMPONENTS);
}

void serialize_end(struct serializer *s, struct end_summary *end)
{
	SERIALIZER(s, end->pid);
	SERIALIZER(s, end->tid);
	SERIALIZER_TEXT(s, end->comm);
}

void serialize_choices(struct serializer *s, struct summary *summary)
{
	/* Recordings before version 14 end here. */
	if (serializer_ends(s))
		return;
	for (int i = 0; i < NR_CHOICES; i++) {
		struct choice_summary *choice = &summary->choice[i];

		SERIALIZER(s, choice->matched);
		SERIALIZER(s, choice->others);
		SERIALIZER(s, choice->names);
		for (uint32_t j = 0; j < CHOICE_SEEN_MAX && j < choice->names; j++) {
			serialize_end(s, &choice->seen[j].end);
			SERIALIZER(s, choice->seen[j].messages);
		}
	}
}
