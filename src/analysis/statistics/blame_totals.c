/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps a hash table of the threads and interrupts that ran while receivers waited for a CPU. */
#include "analysis/statistics/blame_totals.h"

#include "analysis/history/cpu_slices.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

/* The kind of a folded entry; no share has it. */
#define KIND_FOLDED (SHARE_THROTTLED + 1)

/* Thread ids are reused, and the sender of one message can be another task for the next one. */
struct blamed_id {
	uint32_t class;
	uint32_t kind;
	uint32_t tid;
	char comm[RECORD_COMM_LEN];
};

struct blamed {
	struct blamed_id id;
	struct blame_summary sum;
	UT_hash_handle hh;
};

/* Slots of the cache by thread id; the hash covers the whole id. */
#define RECENT_CNT 64

struct blame_totals {
	struct names *names;
	struct blamed *blamed; /* hash by id */
	struct blamed *recent[RECENT_CNT];
};

struct blame_totals *blame_totals__new(struct names *names)
{
	struct blame_totals *totals = calloc(1, sizeof(*totals));

	if (totals)
		totals->names = names;
	return totals;
}

void blame_totals__free(struct blame_totals *totals)
{
	struct blamed *blamed, *next;

	if (!totals)
		return;
	HASH_ITER (hh, totals->blamed, blamed, next) {
		HASH_DEL(totals->blamed, blamed);
		free(blamed);
	}
	free(totals);
}

static struct blamed_id id_of(const struct blame *blame)
{
	struct blamed_id id = {.class = blame->class, .kind = blame->kind, .tid = blame->tid};

	memcpy(id.comm, blame->comm, sizeof(id.comm));
	return id;
}

static struct blamed **recent_of(struct blame_totals *totals, uint32_t tid)
{
	return &totals->recent[tid % RECENT_CNT];
}

static struct blamed *find(struct blame_totals *totals, struct blamed_id id)
{
	struct blamed **recent = recent_of(totals, id.tid), *blamed;

	if (*recent && !memcmp(&(*recent)->id, &id, sizeof(id)))
		return *recent;
	HASH_FIND(hh, totals->blamed, &id, sizeof(id), blamed);
	if (blamed)
		*recent = blamed;
	return blamed;
}

static struct blamed *find_or_make(struct blame_totals *totals, const struct blame *blame)
{
	struct blamed_id id = id_of(blame);
	struct blamed *blamed = find(totals, id);

	if (blamed)
		return blamed;
	blamed = calloc(1, sizeof(*blamed));
	if (!blamed)
		return NULL;
	blamed->id = id;
	blamed->sum.total = *blame;
	blamed->sum.total.ns = 0;
	HASH_ADD(hh, totals->blamed, id, sizeof(blamed->id), blamed);
	return blamed;
}

static int fold(struct blame_totals *totals, struct blamed *blamed)
{
	struct blame others = {
		.class = blamed->sum.total.class, .kind = KIND_FOLDED, .comm = "others"};
	struct blamed *folded = find_or_make(totals, &others);

	if (!folded)
		return -ENOMEM;
	folded->sum.total.ns += blamed->sum.total.ns;
	folded->sum.folded++;
	if (*recent_of(totals, blamed->id.tid) == blamed)
		*recent_of(totals, blamed->id.tid) = NULL;
	HASH_DEL(totals->blamed, blamed);
	free(blamed);
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

static int fold_half(struct blame_totals *totals)
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
		err = fold(totals, all[i]);
	free(all);
	return err;
}

/* `at_ns`: an instant after the thread ran, and before its number is likely to be reused. */
static void set_process(struct blame_totals *totals, struct blame_summary *blame, uint64_t at_ns)
{
	const struct record_process *process = NULL;

	if (blame->total.kind == SLICE_TASK)
		process = names__process(totals->names, blame->total.tid, at_ns);
	if (!process)
		return;
	blame->pid = process->pid;
	memcpy(blame->process, process->comm, sizeof(blame->process));
}

/* NULL: out of memory. */
static struct blamed *entry_for(struct blame_totals *totals, const struct blame *blame,
				uint64_t at_ns)
{
	struct blamed *blamed = find(totals, id_of(blame));

	if (blamed)
		return blamed;
	if (HASH_COUNT(totals->blamed) >= BLAME_TOTALS_MAX && fold_half(totals))
		return NULL;
	blamed = find_or_make(totals, blame);
	if (blamed)
		set_process(totals, &blamed->sum, at_ns);
	return blamed;
}

int blame_totals__add(struct blame_totals *totals, const struct blame *blame, uint32_t cnt,
		      uint64_t at_ns)
{
	for (uint32_t i = 0; i < cnt; i++) {
		struct blamed *blamed = entry_for(totals, &blame[i], at_ns);

		if (!blamed)
			return -ENOMEM;
		blamed->sum.total.ns += blame[i].ns;
		blamed->sum.messages++;
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
	HASH_ITER (hh, totals->blamed, blamed, next)
		(*blame)[(*cnt)++] = blamed->sum;
	qsort(*blame, *cnt, sizeof(**blame), compare_sums);
	return 0;
}
