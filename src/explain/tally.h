/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds up numbers by key, for few keys that are added often. */
#pragma once

#include <stdint.h>

/* `tag` of an entry whose numbers had different tags. */
#define TAG_SEVERAL (UINT32_MAX - 1)

struct tally_entry {
	uint64_t key;
	uint64_t sum;
	uint32_t tag; /* for example a CPU */
};

/* Zero-initialised is empty. Owns its entries: tally_free(). */
struct tally {
	struct tally_entry *entry; /* [cnt]; a key may have several until tally_settle() */
	uint32_t cnt;              /* 0 empties it, and keeps its memory */
	uint32_t room;
};

/* 0 or -ENOMEM. */
int tally_add(struct tally *tally, uint64_t key, uint64_t number, uint32_t tag);

/* Leaves one entry for each key, in ascending order of keys. */
void tally_settle(struct tally *tally);

void tally_free(struct tally *tally);
