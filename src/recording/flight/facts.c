/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps the facts by their owner. A full table forgets the one unused for longest. */
#include "recording/flight/facts.h"

#include "bpf/record.h"
#include "model/record_decode.h"
#include "model/window_records.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include <utlist.h>

/* Appends changes to those of a thread, and drops the oldest ones. */

/* A wait that was under way may have so many, and be known from its start. */
#define CHANGES_TAIL_MAX 16

/* Zero-initialised is empty. */
struct changes_tail {
	uint64_t base_ns; /* as in struct record_changes */
	uint64_t first;
	uint64_t change[CHANGES_TAIL_MAX];
	size_t cnt;
};

#define CHANGES_TAIL_WORDS (RECORD_WORDS(struct record_changes) + CHANGES_TAIL_MAX)

/* Adds packed changes, as in the records. Older ones than those here are left out. */
static void changes_tail_add(struct changes_tail *tail, const uint64_t *change, size_t cnt,
			     uint64_t first, uint64_t base_ns)
{
	/* The thread that these belong to is younger: the kernel reuses thread ids. */
	bool is_of_new_thread = !first && base_ns > tail->base_ns;
	uint64_t end = tail->first + tail->cnt;
	size_t kept;

	if (tail->cnt && first < end && !is_of_new_thread)
		return;
	if (cnt > CHANGES_TAIL_MAX) {
		change += cnt - CHANGES_TAIL_MAX;
		first += cnt - CHANGES_TAIL_MAX;
		cnt = CHANGES_TAIL_MAX;
	}
	if (first != end)
		tail->cnt = 0; /* those in between are lost */
	kept = CHANGES_TAIL_MAX - cnt < tail->cnt ? CHANGES_TAIL_MAX - cnt : tail->cnt;
	memmove(tail->change, tail->change + tail->cnt - kept, kept * sizeof(*change));
	memcpy(tail->change + kept, change, cnt * sizeof(*change));
	tail->first = first - kept;
	tail->cnt = kept + cnt;
	tail->base_ns = base_ns;
}

/* Makes a CHANGES record in `word`, of CHANGES_TAIL_WORDS. */
static const struct record *changes_tail_record(const struct changes_tail *tail, uint32_t tid,
						uint64_t *word)
{
	struct record_changes *changes = (void *)word;

	*changes = (struct record_changes){
		.head = {.type = RECORD_CHANGES,
			 .words = RECORD_WORDS(*changes) + tail->cnt,
			 .tid = tid},
		.base_ns = tail->base_ns,
		.first = tail->first,
	};
	memcpy(changes + 1, tail->change, tail->cnt * sizeof(tail->change[0]));
	return &changes->head;
}

/* Where targets have their sockets: each has few. */
#define FACTS_OF_ALL_MAX 4096

enum owner_kind { OWNER_THREAD, OWNER_INTERRUPT, OWNER_CHANNEL, OWNER_CPU, OWNER_ALL };

struct owner_key {
	uint32_t kind;
	uint32_t id;
};

struct fact {
	struct fact *prev, *next;
	struct record record[]; /* a whole one */
};

struct owner {
	struct owner_key key;
	struct fact *fact; /* list, oldest first */
	size_t cnt;
	struct changes_tail *tail;           /* OWNER_THREAD; NULL: none */
	uint32_t sender, receiver;           /* OWNER_CHANNEL: the last ones; 0: none */
	uint32_t flags;                      /* the same: enum channel_flag */
	struct owner *prev_used, *next_used; /* list of all, the last used one at its end */
	UT_hash_handle hh;
};

struct facts {
	struct owner *owner; /* hash */
	struct owner *used;  /* list */
	size_t forgotten;
};

struct facts *facts__new(void)
{
	return calloc(1, sizeof(struct facts));
}

static void drop_fact(struct owner *owner, struct fact *fact)
{
	DL_DELETE(owner->fact, fact);
	owner->cnt--;
	free(fact);
}

static void facts_forget(struct facts *facts, struct owner *owner)
{
	HASH_DEL(facts->owner, owner);
	DL_DELETE2(facts->used, owner, prev_used, next_used);
	while (owner->fact)
		drop_fact(owner, owner->fact);
	free(owner->tail);
	free(owner);
}

void facts__free(struct facts *facts)
{
	while (facts && facts->used)
		facts_forget(facts, facts->used);
	free(facts);
}

/* NULL: there is none. It counts as used. */
static struct owner *facts_find(struct facts *facts, enum owner_kind kind, uint32_t id)
{
	const struct owner_key key = {.kind = kind, .id = id};
	struct owner *owner;

	HASH_FIND(hh, facts->owner, &key, sizeof(key), owner);
	if (!owner || owner == facts->used->prev_used)
		return owner;
	DL_DELETE2(facts->used, owner, prev_used, next_used);
	DL_APPEND2(facts->used, owner, prev_used, next_used);
	return owner;
}

static struct owner *facts_make(struct facts *facts, enum owner_kind kind, uint32_t id)
{
	struct owner *owner = facts_find(facts, kind, id);

	if (owner)
		return owner;
	if (HASH_COUNT(facts->owner) >= FACTS_OWNERS_MAX) {
		facts_forget(facts, facts->used);
		facts->forgotten++;
	}
	owner = calloc(1, sizeof(*owner));
	if (!owner)
		return NULL;
	owner->key = (struct owner_key){.kind = kind, .id = id};
	HASH_ADD(hh, facts->owner, key, sizeof(owner->key), owner);
	DL_APPEND2(facts->used, owner, prev_used, next_used);
	return owner;
}

static int facts_append(struct owner *owner, const struct record *record)
{
	size_t size = record_size(record);
	struct fact *fact = malloc(sizeof(*fact) + size);

	if (!fact)
		return -ENOMEM;
	memcpy(fact->record, record, size);
	DL_APPEND(owner->fact, fact);
	if (++owner->cnt > (owner->key.kind == OWNER_ALL ? FACTS_OF_ALL_MAX : FACTS_OF_ONE_MAX))
		drop_fact(owner, owner->fact);
	return 0;
}

/* The record says the same anew, for instance under another name. */
static int replace(struct owner *owner, const struct record *record)
{
	struct fact *fact, *next;

	if (!owner)
		return -ENOMEM;
	DL_FOREACH_SAFE(owner->fact, fact, next)
	{
		if (fact->record->type == record->type)
			drop_fact(owner, fact);
	}
	return facts_append(owner, record);
}

/* But for the CPU, on which a record happened to be made. */
static bool is_equal(const struct record *a, const struct record *b)
{
	return a->type == b->type && a->words == b->words &&
	       !memcmp(a + 1, b + 1, record_size(a) - sizeof(*a));
}

/* The record says more, unless one like it is there. */
static int add_further(struct owner *owner, const struct record *record)
{
	const struct fact *fact;

	if (!owner)
		return -ENOMEM;
	DL_FOREACH(owner->fact, fact)
	{
		if (is_equal(fact->record, record))
			return 0;
	}
	return facts_append(owner, record);
}

/* A channel may have several. The first one that is known holds. */
static int facts_add_baseline(struct facts *facts, const struct record_baseline *baseline)
{
	struct owner *owner = facts_make(facts, OWNER_CHANNEL, baseline->channel);
	const struct fact *fact;

	if (!owner)
		return -ENOMEM;
	DL_FOREACH(owner->fact, fact)
	{
		const struct record_baseline *known = (const void *)fact->record;

		if (known->head.type == RECORD_BASELINE && known->leftover != BASELINE_UNKNOWN)
			return 0;
	}
	return replace(owner, &baseline->head);
}

static int facts_add_changes(struct facts *facts, uint32_t tid, const uint64_t *change, size_t cnt,
			     uint64_t first, uint64_t base_ns)
{
	struct owner *owner = cnt && base_ns ? facts_make(facts, OWNER_THREAD, tid) : NULL;

	if (!cnt || !base_ns)
		return 0;
	if (owner && !owner->tail)
		owner->tail = calloc(1, sizeof(*owner->tail));
	if (!owner || !owner->tail)
		return -ENOMEM;
	changes_tail_add(owner->tail, change, cnt, first, base_ns);
	return 0;
}

/*
 * While a thread waits, the tasks of its CPU have no gaps, and interrupts lie within them. What
 * comes before the last task is not needed, and of the interrupts after it only their numbers.
 */
static int add_slice(struct facts *facts, const struct record_slice *slice)
{
	struct owner *owner = facts_make(facts, OWNER_CPU, slice->head.cpu);
	bool is_task = slice->kind == SLICE_TASK || slice->kind == SLICE_UNSEEN;
	struct record_slice copy = *slice, *last;

	if (!owner)
		return -ENOMEM;
	if (owner->fact && !is_task) {
		/* What comes next has the number after it. */
		last = (void *)owner->fact->record;
		if ((int32_t)(slice->seq - last->seq) > 0)
			last->seq = slice->seq;
		return 0;
	}
	if (!is_task)
		copy.kind = SLICE_UNSEEN;
	return replace(owner, &copy.head);
}

static void facts_note_user(struct owner *owner, uint32_t *last, uint32_t tid, uint32_t several)
{
	if (*last && *last != tid)
		owner->flags |= several;
	*last = tid;
}

static int note_send(struct facts *facts, const struct record_send *send)
{
	struct owner *owner = facts_find(facts, OWNER_CHANNEL, send->channel);

	if (owner)
		facts_note_user(owner, &owner->sender, send->head.tid, CHANNEL_HAD_SENDERS);
	return 0;
}

static int facts_add_receive(struct facts *facts, const struct record_receive *receive)
{
	struct owner *owner = facts_find(facts, OWNER_CHANNEL, receive->channel);
	size_t cnt;
	const uint64_t *change = receive_changes(receive, &cnt);

	if (owner) {
		owner->flags |= CHANNEL_HAD_RECEIVE;
		if (receive->head.flags & RECEIVE_LATE)
			owner->flags |= CHANNEL_HAD_LATE;
		facts_note_user(owner, &owner->receiver, receive->head.tid, CHANNEL_HAD_RECEIVERS);
	}
	if (receive->first == RECEIVE_FROM_WORKLOAD)
		return 0;
	return facts_add_changes(facts, receive->head.tid, change, cnt, receive->first,
				 receive->exit_ns);
}

static int add_changes_record(struct facts *facts, const struct record_changes *changes)
{
	size_t cnt;
	const uint64_t *change = changes_changes(changes, &cnt);

	return facts_add_changes(facts, changes->head.tid, change, cnt, changes->first,
				 changes->base_ns);
}

static int add_of_channel(struct facts *facts, uint32_t channel, const struct record *record)
{
	return add_further(facts_make(facts, OWNER_CHANNEL, channel), record);
}

int facts__add(struct facts *facts, const struct record *record)
{
	enum owner_kind named;

	switch (record->type) {
	case RECORD_SEND:
		return note_send(facts, (const void *)record);
	case RECORD_RECEIVE:
		return facts_add_receive(facts, (const void *)record);
	case RECORD_CHANGES:
		return add_changes_record(facts, (const void *)record);
	case RECORD_SLICE:
		return add_slice(facts, (const void *)record);
	case RECORD_NAME:
		named = ((const struct record_name *)record)->kind == SLICE_TASK ? OWNER_THREAD
										 : OWNER_INTERRUPT;
		return replace(facts_make(facts, named, record->tid), record);
	case RECORD_PROCESS:
	case RECORD_THREAD:
	case RECORD_ROLE:
	case RECORD_SCRIPT:
	case RECORD_GROUP:
		return replace(facts_make(facts, OWNER_THREAD, record->tid), record);
	case RECORD_CHANNEL:
		return add_of_channel(facts, ((const struct record_channel *)record)->channel,
				      record);
	case RECORD_ADDRESS:
		return add_of_channel(facts, ((const struct record_address *)record)->channel,
				      record);
	case RECORD_BASELINE:
		return facts_add_baseline(facts, (const void *)record);
	case RECORD_PATH:
		return add_further(facts_make(facts, OWNER_ALL, 0), record);
	default:
		return 0;
	}
}

/* A copy with the flags that the records before have led to. */
static int put_flagged(const struct record *record, uint32_t flags, record_put_fn *fn, void *ctx)
{
	union {
		struct record head;
		uint64_t word[UINT8_MAX];
	} copy;

	memcpy(&copy, record, record_size(record));
	copy.head.flags |= flags;
	return fn(ctx, &copy.head);
}

static int put_fact(const struct owner *owner, const struct record *record, record_put_fn *fn,
		    void *ctx)
{
	if (record->type == RECORD_CHANNEL)
		return put_flagged(record, owner->flags, fn, ctx);
	if (record->type == RECORD_BASELINE)
		return put_flagged(record, BASELINE_COUNTED, fn, ctx);
	return fn(ctx, record);
}

int facts__each(const struct facts *facts, record_put_fn *fn, void *ctx)
{
	uint64_t word[CHANGES_TAIL_WORDS];
	const struct owner *owner;
	int err = 0;

	DL_FOREACH2 (facts->used, owner, next_used) {
		const struct fact *fact;

		DL_FOREACH(owner->fact, fact)
		err = err ?: put_fact(owner, fact->record, fn, ctx);
		if (!err && owner->tail)
			err = fn(ctx, changes_tail_record(owner->tail, owner->key.id, word));
	}
	return err;
}

size_t facts__forgotten(const struct facts *facts)
{
	return facts->forgotten;
}
