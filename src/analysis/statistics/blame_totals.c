/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps a hash table of the threads and interrupts that ran while receivers waited for a CPU. */
#include "analysis/statistics/blame_totals.h"

#include "analysis/history/cpu_slices.h"
#include "container/hash_table.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

/* Thread ids are reused, and the sender of one message can be another task for the next one. */
struct blamed_id {
	uint32_t class;
	uint32_t kind;
	uint32_t tid;
	char comm[RECORD_COMM_LEN];
};

/* The threads that a report shows in one row, as far as one is known when it is first blamed. */
struct alike_id {
	uint32_t class;
	uint32_t relation;
	uint32_t policy;
	uint32_t priority;
	uint32_t is_outside;
	char comm[RECORD_COMM_LEN];
};

struct alike {
	struct alike_id id;
	struct blame_waits waits;
	uint64_t last; /* the number of the last message that waited for one of them */
	uint64_t ns;   /* of that message */
	UT_hash_handle hh;
};

struct blamed {
	struct blamed_id id;
	struct blame_summary sum;
	struct alike *alike; /* NULL: it is not a thread, or there was no room */
	uint64_t last_ns;    /* when it was last blamed */
	UT_hash_handle hh;
};

/* Slots of the cache by thread id; the hash covers the whole id. */
#define RECENT_CNT 64

struct blame_totals {
	struct names *names;
	struct blamed *blamed; /* hash by id */
	struct blamed *recent[RECENT_CNT];
	struct alike *alike;         /* hash by id */
	uint64_t messages;           /* that were added */
	blame_relation_fn *relation; /* NULL: a run */
	void *relation_ctx;
};

struct blame_totals *blame_totals__new(struct names *names, blame_relation_fn *relation, void *ctx)
{
	struct blame_totals *totals = calloc(1, sizeof(*totals));

	if (!totals)
		return NULL;
	totals->names = names;
	totals->relation = relation;
	totals->relation_ctx = ctx;
	return totals;
}

void blame_totals__free(struct blame_totals *totals)
{
	if (!totals)
		return;
	HASH_DROP_ALL(totals->blamed);
	HASH_DROP_ALL(totals->alike);
	free(totals);
}

static struct blamed_id blame_totals_id_of(const struct blame *blame)
{
	struct blamed_id id = {.class = blame->class, .kind = blame->kind, .tid = blame->tid};

	memcpy(id.comm, blame->comm, sizeof(id.comm));
	return id;
}

static struct blamed **recent_of(struct blame_totals *totals, uint32_t tid)
{
	return &totals->recent[tid % RECENT_CNT];
}

static struct blamed *blame_totals_find(struct blame_totals *totals, struct blamed_id id)
{
	struct blamed **recent = recent_of(totals, id.tid), *blamed;

	if (*recent && !memcmp(&(*recent)->id, &id, sizeof(id)))
		return *recent;
	HASH_FIND(hh, totals->blamed, &id, sizeof(id), blamed);
	if (blamed)
		*recent = blamed;
	return blamed;
}

static struct blamed *blame_totals_find_or_make(struct blame_totals *totals,
						const struct blame *blame)
{
	struct blamed_id id = blame_totals_id_of(blame);
	struct blamed *blamed = blame_totals_find(totals, id);

	if (blamed)
		return blamed;
	HASH_ADD_NEW(totals->blamed, id, id, blamed);
	if (!blamed)
		return NULL;
	blamed->sum.total = *blame;
	blamed->sum.total.ns = 0;
	return blamed;
}

static int blame_totals_fold(struct blame_totals *totals, struct blamed *blamed)
{
	struct blame others = {
		.class = blamed->sum.total.class, .kind = SHARE_FOLDED, .comm = "others"};
	struct blamed *folded = blame_totals_find_or_make(totals, &others);

	if (!folded)
		return -ENOMEM;
	folded->sum.total.ns += blamed->sum.total.ns;
	folded->sum.folded++;
	if (blamed->sum.worst_ns > folded->sum.worst_ns) {
		folded->sum.worst_ns = blamed->sum.worst_ns;
		folded->sum.worst_cpu = blamed->sum.worst_cpu;
	}
	if (*recent_of(totals, blamed->id.tid) == blamed)
		*recent_of(totals, blamed->id.tid) = NULL;
	HASH_DROP(totals->blamed, blamed);
	return 0;
}

static int by_ns(const void *a, const void *b)
{
	const struct blame *x = &(*(struct blamed *const *)a)->sum.total;
	const struct blame *y = &(*(struct blamed *const *)b)->sum.total;

	if (x->ns != y->ns)
		return x->ns > y->ns ? 1 : -1;
	return (x->tid > y->tid) - (x->tid < y->tid);
}

static int blame_totals_fold_half(struct blame_totals *totals)
{
	struct blamed **all = malloc(HASH_COUNT(totals->blamed) * sizeof(*all)), *blamed;
	size_t cnt = 0;
	int err = 0;

	if (!all)
		return -ENOMEM;
	for (blamed = totals->blamed; blamed; blamed = blamed->hh.next) {
		if (!blamed->sum.folded)
			all[cnt++] = blamed;
	}
	qsort(all, cnt, sizeof(*all), by_ns);
	for (size_t i = 0; i < cnt / 2 && !err; i++)
		err = blame_totals_fold(totals, all[i]);
	free(all);
	return err;
}

/* `at_ns`: an instant after the thread ran, and before its number is likely to be reused. */
static void blame_totals_set_process(struct blame_totals *totals, struct blame_summary *blame,
				     uint64_t at_ns)
{
	const struct record_process *process = NULL;

	if (blame->total.kind == SLICE_TASK)
		process = names__process(totals->names, blame->total.tid, at_ns);
	if (!process)
		return;
	blame->pid = process->pid;
	memcpy(blame->process, process->comm, sizeof(blame->process));
}

static enum blame_relation blame_totals_relation_of(const struct blame_totals *totals,
						    const struct blame_summary *sum, uint64_t at_ns)
{
	const struct blame *blame = &sum->total;
	bool is_user =
		blame->kind == SLICE_TASK && blame->tid && blame_classes[blame->class].is_user;

	if (!totals->relation || !is_user)
		return RELATION_NONE;
	return totals->relation(totals->relation_ctx, blame->tid, sum->pid ?: blame->tid, at_ns);
}

/* NULL: it is shown alone, or there is no room. */
static struct alike *alike_of(struct blame_totals *totals, const struct blame_summary *sum)
{
	const struct blame *blame = &sum->total;
	/* A report of an attach shows the relation, and not whether the thread was the sender. */
	struct alike_id id = {.class = sum->relation ? BLAME_TASK : blame->class,
			      .relation = sum->relation,
			      .policy = blame->policy,
			      .priority = blame->priority,
			      .is_outside = tid_is_outside(blame->tid)};
	struct alike *alike;

	if (blame->kind != SLICE_TASK || !blame->comm[0])
		return NULL;
	memcpy(id.comm, blame->comm, sizeof(id.comm));
	HASH_FIND(hh, totals->alike, &id, sizeof(id), alike);
	if (!alike && HASH_COUNT(totals->alike) < BLAME_TOTALS_MAX) {
		HASH_ADD_NEW(totals->alike, id, id, alike);
		if (!alike)
			return NULL;
	}
	if (alike)
		alike->waits.entries++;
	return alike;
}

/* NULL: out of memory. */
static struct blamed *blame_totals_entry_for(struct blame_totals *totals, const struct blame *blame,
					     uint64_t at_ns)
{
	struct blamed *blamed = blame_totals_find(totals, blame_totals_id_of(blame));

	if (blamed)
		return blamed;
	if (HASH_COUNT(totals->blamed) >= BLAME_TOTALS_MAX && blame_totals_fold_half(totals))
		return NULL;
	blamed = blame_totals_find_or_make(totals, blame);
	if (!blamed)
		return NULL;
	blame_totals_set_process(totals, &blamed->sum, at_ns);
	blamed->sum.relation = blame_totals_relation_of(totals, &blamed->sum, at_ns);
	blamed->alike = alike_of(totals, &blamed->sum);
	return blamed;
}

/* One message may wait for several of them, one after the other. */
static void add_alike(struct blame_totals *totals, struct alike *alike, const struct blame *blame)
{
	if (alike->last != totals->messages) {
		alike->last = totals->messages;
		alike->waits.messages++;
		alike->ns = 0;
	}
	alike->ns += blame->ns;
	if (alike->ns <= alike->waits.worst_ns)
		return;
	alike->waits.worst_ns = alike->ns;
	alike->waits.worst_cpu = alike->ns == blame->ns ? blame->cpu : BLAME_CPU_SEVERAL;
}

int blame_totals__add(struct blame_totals *totals, const struct blame *blame, uint32_t cnt,
		      uint64_t at_ns)
{
	totals->messages++;
	for (uint32_t i = 0; i < cnt; i++) {
		struct blamed *blamed = blame_totals_entry_for(totals, &blame[i], at_ns);

		if (!blamed)
			return -ENOMEM;
		blamed->last_ns = at_ns;
		blamed->sum.total.ns += blame[i].ns;
		blamed->sum.messages++;
		if (blame[i].ns > blamed->sum.worst_ns) {
			blamed->sum.worst_ns = blame[i].ns;
			blamed->sum.worst_cpu = blame[i].cpu;
		}
		if (blamed->alike)
			add_alike(totals, blamed->alike, &blame[i]);
	}
	return 0;
}

static int compare_sums(const void *a, const void *b)
{
	const struct blame *x = &((const struct blame_summary *)a)->total;
	const struct blame *y = &((const struct blame_summary *)b)->total;

	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	if (x->kind != y->kind)
		return x->kind > y->kind ? 1 : -1;
	if (x->tid != y->tid)
		return x->tid > y->tid ? 1 : -1;
	return x->class != y->class ? (x->class > y->class ? 1 : -1)
				    : memcmp(x->comm, y->comm, sizeof(x->comm));
}

/* A process that was a stranger may have become a peer: then it was counted with strangers. */
static void find_relations(const struct blame_totals *totals)
{
	for (struct blamed *blamed = totals->blamed; blamed; blamed = blamed->hh.next) {
		enum blame_relation before = blamed->sum.relation;

		if (blamed->sum.folded)
			continue;
		blamed->sum.relation =
			blame_totals_relation_of(totals, &blamed->sum, blamed->last_ns);
		if (blamed->sum.relation != before)
			blamed->alike = NULL;
	}
}

int blame_totals__finish(const struct blame_totals *totals, struct blame_summary **blame,
			 uint32_t *cnt)
{
	struct blamed *blamed, *next;

	*cnt = 0;
	if (!HASH_COUNT(totals->blamed))
		return 0;
	*blame = calloc(HASH_COUNT(totals->blamed), sizeof(**blame));
	if (!*blame)
		return -ENOMEM;
	find_relations(totals);
	HASH_ITER (hh, totals->blamed, blamed, next) {
		(*blame)[*cnt] = blamed->sum;
		if (blamed->alike)
			(*blame)[*cnt].alike = blamed->alike->waits;
		++*cnt;
	}
	qsort(*blame, *cnt, sizeof(**blame), compare_sums);
	return 0;
}
