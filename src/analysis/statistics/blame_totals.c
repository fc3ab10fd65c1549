/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/statistics/blame_totals.h"

#include "analysis/history/cpu_slices.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

/* The kind of what was folded: no share has it. */
#define KIND_FOLDED (SHARE_THROTTLED + 1)

/* Numbers are used again, and who sends one message may only be in the way of another. */
struct culprit_id {
	uint32_t class;
	uint32_t kind;
	uint32_t tid;
	char comm[RECORD_COMM_LEN];
};

struct culprit {
	struct culprit_id id;
	struct blame_summary sum;
	UT_hash_handle hh;
};

/* Found by their number before the hash, which takes in all of the id. */
#define LRU_CULPRITS 64

struct blame_totals {
	struct culprit *culprit; /* hash by id */
	struct culprit *recent[LRU_CULPRITS];
};

struct blame_totals *blame_totals__new(void)
{
	return calloc(1, sizeof(struct blame_totals));
}

void blame_totals__free(struct blame_totals *culprits)
{
	struct culprit *culprit, *next;

	if (!culprits)
		return;
	HASH_ITER (hh, culprits->culprit, culprit, next) {
		HASH_DEL(culprits->culprit, culprit);
		free(culprit);
	}
	free(culprits);
}

static struct culprit_id id_of(const struct blame *who)
{
	struct culprit_id id = {.class = who->class, .kind = who->kind, .tid = who->tid};

	memcpy(id.comm, who->comm, sizeof(id.comm));
	return id;
}

static struct culprit **recent_of(struct blame_totals *culprits, uint32_t tid)
{
	return &culprits->recent[tid % LRU_CULPRITS];
}

static struct culprit *find(struct blame_totals *culprits, struct culprit_id id)
{
	struct culprit **recent = recent_of(culprits, id.tid), *culprit;

	if (*recent && !memcmp(&(*recent)->id, &id, sizeof(id)))
		return *recent;
	HASH_FIND(hh, culprits->culprit, &id, sizeof(id), culprit);
	if (culprit)
		*recent = culprit;
	return culprit;
}

static struct culprit *find_or_make(struct blame_totals *culprits, const struct blame *who)
{
	struct culprit_id id = id_of(who);
	struct culprit *culprit = find(culprits, id);

	if (culprit)
		return culprit;
	culprit = calloc(1, sizeof(*culprit));
	if (!culprit)
		return NULL;
	culprit->id = id;
	culprit->sum.who = *who;
	culprit->sum.who.ns = 0;
	HASH_ADD(hh, culprits->culprit, id, sizeof(culprit->id), culprit);
	return culprit;
}

static int fold(struct blame_totals *culprits, struct culprit *culprit)
{
	struct blame others = {
		.class = culprit->sum.who.class, .kind = KIND_FOLDED, .comm = "others"};
	struct culprit *folded = find_or_make(culprits, &others);

	if (!folded)
		return -ENOMEM;
	folded->sum.who.ns += culprit->sum.who.ns;
	folded->sum.folded++;
	if (*recent_of(culprits, culprit->id.tid) == culprit)
		*recent_of(culprits, culprit->id.tid) = NULL;
	HASH_DEL(culprits->culprit, culprit);
	free(culprit);
	return 0;
}

static int by_ns(const void *a, const void *b)
{
	const struct blame *x = &(*(struct culprit *const *)a)->sum.who;
	const struct blame *y = &(*(struct culprit *const *)b)->sum.who;

	if (x->ns != y->ns)
		return x->ns > y->ns ? 1 : -1;
	return (x->tid > y->tid) - (x->tid < y->tid);
}

static int fold_half(struct blame_totals *culprits)
{
	struct culprit **all = malloc(HASH_COUNT(culprits->culprit) * sizeof(*all)), *culprit;
	size_t cnt = 0;
	int err = 0;

	if (!all)
		return -ENOMEM;
	for (culprit = culprits->culprit; culprit; culprit = culprit->hh.next) {
		if (!culprit->sum.folded)
			all[cnt++] = culprit;
	}
	qsort(all, cnt, sizeof(*all), by_ns);
	for (size_t i = 0; i < cnt / 2 && !err; i++)
		err = fold(culprits, all[i]);
	free(all);
	return err;
}

/* NULL: out of memory. */
static struct culprit *culprit_for(struct blame_totals *culprits, const struct blame *blame)
{
	struct culprit *culprit = find(culprits, id_of(blame));

	if (!culprit && HASH_COUNT(culprits->culprit) >= BLAME_TOTALS_MAX && fold_half(culprits))
		return NULL;
	return culprit ? culprit : find_or_make(culprits, blame);
}

int blame_totals__add(struct blame_totals *culprits, const struct message *message)
{
	for (uint32_t i = 0; i < message->blame_cnt; i++) {
		struct culprit *culprit = culprit_for(culprits, &message->blame[i]);

		if (!culprit)
			return -ENOMEM;
		culprit->sum.who.ns += message->blame[i].ns;
		culprit->sum.messages++;
	}
	return 0;
}

static int compare_sums(const void *a, const void *b)
{
	const struct blame *x = &((const struct blame_summary *)a)->who;
	const struct blame *y = &((const struct blame_summary *)b)->who;

	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	if (x->kind != y->kind)
		return x->kind > y->kind ? 1 : -1;
	if (x->tid != y->tid)
		return x->tid > y->tid ? 1 : -1;
	return x->class != y->class ? (x->class > y->class ? 1 : -1)
				    : memcmp(x->comm, y->comm, sizeof(x->comm));
}

int blame_totals__finish(const struct blame_totals *culprits, struct summary *summary)
{
	unsigned int cnt = HASH_COUNT(culprits->culprit);
	struct culprit *culprit, *next;

	if (!cnt)
		return 0;
	summary->blame = calloc(cnt, sizeof(*summary->blame));
	if (!summary->blame)
		return -ENOMEM;
	HASH_ITER (hh, culprits->culprit, culprit, next)
		summary->blame[summary->blame_cnt++] = culprit->sum;
	qsort(summary->blame, cnt, sizeof(*summary->blame), compare_sums);
	return 0;
}
