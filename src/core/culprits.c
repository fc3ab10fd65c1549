/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/culprits.h"

#include "core/cpu_history.h"

#include <errno.h>
#include <stdlib.h>
#include <uthash.h>

struct culprit_id {
	uint32_t kind;
	uint32_t tid;
};

struct culprit {
	struct culprit_id id;
	struct blame_summary sum;
	uint64_t last_message; /* that counted here */
	UT_hash_handle hh;
};

struct culprits {
	struct culprit *culprit; /* hash by id */
	uint64_t message_cnt;
};

struct culprits *culprits__new(void)
{
	return calloc(1, sizeof(struct culprits));
}

void culprits__free(struct culprits *culprits)
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

static struct culprit *find(struct culprits *culprits, struct culprit_id id)
{
	struct culprit *culprit;

	HASH_FIND(hh, culprits->culprit, &id, sizeof(id), culprit);
	return culprit;
}

static struct culprit *culprit_for(struct culprits *culprits, const struct blame *blame)
{
	struct blame who = *blame;
	struct culprit *culprit = find(culprits, (struct culprit_id){blame->kind, blame->tid});

	if (!culprit && HASH_COUNT(culprits->culprit) >= CULPRITS_MAX) {
		who = (struct blame){.class = BLAME_UNKNOWN, .kind = SHARE_UNKNOWN};
		culprit = find(culprits, (struct culprit_id){who.kind, who.tid});
	}
	if (culprit)
		return culprit;
	culprit = calloc(1, sizeof(*culprit));
	if (!culprit)
		return NULL;
	culprit->id = (struct culprit_id){.kind = who.kind, .tid = who.tid};
	culprit->sum.who = who;
	culprit->sum.who.ns = 0;
	HASH_ADD(hh, culprits->culprit, id, sizeof(culprit->id), culprit);
	return culprit;
}

int culprits__add(struct culprits *culprits, const struct message *message)
{
	culprits->message_cnt++;
	for (uint32_t i = 0; i < message->blame_cnt; i++) {
		struct culprit *culprit = culprit_for(culprits, &message->blame[i]);

		if (!culprit)
			return -ENOMEM;
		culprit->sum.who.ns += message->blame[i].ns;
		/* Several of its shares may have gone to the same unknown. */
		if (culprit->last_message != culprits->message_cnt)
			culprit->sum.messages++;
		culprit->last_message = culprits->message_cnt;
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
	return (x->tid > y->tid) - (x->tid < y->tid);
}

int culprits__finish(const struct culprits *culprits, struct summary *summary)
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
