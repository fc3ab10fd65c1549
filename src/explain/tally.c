/* SPDX-License-Identifier: BSD-2-Clause */
/* Appends entries, and merges those of one key when the room runs out. */
#include "explain/tally.h"

#include <errno.h>
#include <stdlib.h>

#define FIRST_ROOM 32

static int tally_by_key(const void *a, const void *b)
{
	const struct tally_entry *x = a, *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

void tally_settle(struct tally *tally)
{
	uint32_t merged = 0;

	if (tally->cnt < 2)
		return;
	qsort(tally->entry, tally->cnt, sizeof(*tally->entry), tally_by_key);
	for (uint32_t i = 1; i < tally->cnt; i++) {
		struct tally_entry *last = &tally->entry[merged], *entry = &tally->entry[i];

		if (last->key != entry->key) {
			tally->entry[++merged] = *entry;
			continue;
		}
		last->sum += entry->sum;
		if (last->tag != entry->tag)
			last->tag = TAG_SEVERAL;
	}
	tally->cnt = merged + 1;
}

static int tally_make_room(struct tally *tally)
{
	uint32_t room = tally->room ? 2 * tally->room : FIRST_ROOM;
	struct tally_entry *entry;

	if (tally->room)
		tally_settle(tally);
	/* With half of the room free, the next merge is far enough away. */
	if (tally->room && tally->cnt <= tally->room / 2)
		return 0;
	entry = realloc(tally->entry, room * sizeof(*entry));
	if (!entry)
		return -ENOMEM;
	tally->entry = entry;
	tally->room = room;
	return 0;
}

int tally_add(struct tally *tally, uint64_t key, uint64_t number, uint32_t tag)
{
	if (tally->cnt == tally->room && tally_make_room(tally))
		return -ENOMEM;
	tally->entry[tally->cnt++] = (struct tally_entry){key, number, tag};
	return 0;
}

void tally_free(struct tally *tally)
{
	free(tally->entry);
	*tally = (struct tally){0};
}
