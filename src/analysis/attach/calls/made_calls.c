/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps calls by their owner: a request, or a thread if the request is not known. */
#include "analysis/attach/calls/made_calls.h"

#include "container/hash_table.h"
#include "container/array.h"
#include "container/step_limit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

/* Requests have numbers below. */
#define OWNER_IS_THREAD (1ULL << 63)

struct owner {
	uint64_t key; /* number of the request, or OWNER_IS_THREAD and the thread */
	struct made_call *call;
	size_t cnt, room;
	UT_hash_handle hh;
};

struct made_calls {
	struct owner *owner; /* hash by key, the oldest first */
	size_t cnt;          /* of all owners */

	/* Working space of made_calls__take(). */
	const struct made_call **found;
	size_t found_cnt, found_room;
};

struct made_calls *made_calls__new(void)
{
	return calloc(1, sizeof(struct made_calls));
}

static void made_calls_forget(struct made_calls *made, struct owner *owner)
{
	HASH_DEL(made->owner, owner);
	made->cnt -= owner->cnt;
	free(owner->call);
	free(owner);
}

void made_calls__free(struct made_calls *made)
{
	if (!made)
		return;
	while (made->owner)
		made_calls_forget(made, made->owner);
	free(made->found);
	free(made);
}

static struct owner *made_calls_find(const struct made_calls *made, uint64_t key)
{
	struct owner *owner;

	HASH_FIND(hh, made->owner, &key, sizeof(key), owner);
	return owner;
}

static struct owner *made_calls_find_or_make(struct made_calls *made, uint64_t key)
{
	struct owner *owner = made_calls_find(made, key);

	if (owner)
		return owner;
	if (HASH_COUNT(made->owner) >= MADE_CALLS_OWNERS_MAX)
		made_calls_forget(made, made->owner);
	HASH_ADD_NEW(made->owner, key, key, owner);
	return owner;
}

static void made_calls_drop_oldest(struct made_calls *made, struct owner *owner, size_t cnt)
{
	if (!cnt)
		return;
	made->cnt -= cnt;
	owner->cnt -= cnt;
	memmove(owner->call, owner->call + cnt, owner->cnt * sizeof(*owner->call));
}

/* Further answers come soon after the first. False: it is not known any more. */
static bool made_calls_lengthen(struct owner *owner, const struct made_call *call)
{
	for (size_t i = owner->cnt; i && step_limit_spend(1); i--) {
		struct made_call *known = &owner->call[i - 1];

		if (known->channel != call->channel || known->sent_ns != call->sent_ns)
			continue;
		known->back_ns = call->back_ns;
		return true;
	}
	return false;
}

int made_calls__add(struct made_calls *made, const struct made_call *call, bool is_longer)
{
	struct owner *owner =
		made_calls_find_or_make(made, call->parent ?: OWNER_IS_THREAD | call->tid);

	if (!owner)
		return -ENOMEM;
	if (is_longer && made_calls_lengthen(owner, call))
		return 0;
	if (owner->cnt == MADE_CALLS_MAX || (owner->cnt && made->cnt >= MADE_CALLS_ALL_MAX))
		made_calls_drop_oldest(made, owner, (owner->cnt + 1) / 2);
	if (array_grow(&owner->call, owner->cnt, &owner->room, sizeof(*owner->call)))
		return -ENOMEM;
	owner->call[owner->cnt++] = *call;
	made->cnt++;
	return 0;
}

static int note(struct made_calls *made, const struct made_call *call)
{
	if (array_grow(&made->found, made->found_cnt, &made->found_room, sizeof(*made->found)))
		return -ENOMEM;
	made->found[made->found_cnt++] = call;
	return 0;
}

/* What is known of the threads of a service. */
struct threads {
	struct work_log *work;
	struct timelines *lines;
};

/* Whether the thread made this one of its calls, for no known request, to answer `call`. */
static bool is_made_for(const struct threads *threads, const struct made_call *one,
			const struct service_part *part, const struct call *call)
{
	if (one->sent_ns < part->from_ns || one->sent_ns > part->to_ns ||
	    one->back_ns > call->answered_ns)
		return false;
	return !work_log__got_request(threads->work, part->tid, part->from_ns, one->sent_ns,
				      call->number) ||
	       (part->to_ns == call->answered_ns &&
		is_sent_for(threads->work, threads->lines, part->tid, one->back_ns,
			    call->answered_ns));
}

/* The calls that the thread made in its part of the service, and for no known request. */
static int note_part(struct made_calls *made, const struct threads *threads,
		     const struct service_part *part, const struct call *call)
{
	const struct owner *owner = made_calls_find(made, OWNER_IS_THREAD | part->tid);
	int err = 0;

	for (size_t i = owner ? owner->cnt : 0; !err && i && step_limit_spend(1); i--) {
		const struct made_call *one = &owner->call[i - 1];

		if (one->back_ns < part->from_ns)
			break;
		if (is_made_for(threads, one, part, call))
			err = note(made, one);
	}
	return err;
}

static int made_calls_note_known(struct made_calls *made, const struct owner *owner,
				 const struct call *call)
{
	int err = 0;

	for (size_t i = 0; owner && !err && i < owner->cnt && step_limit_spend(1); i++) {
		if (owner->call[i].back_ns <= call->answered_ns)
			err = note(made, &owner->call[i]);
	}
	return err;
}

static int made_calls_by_begin(const void *a, const void *b)
{
	const struct made_call *x = *(const struct made_call *const *)a;
	const struct made_call *y = *(const struct made_call *const *)b;

	return (x->sent_ns > y->sent_ns) - (x->sent_ns < y->sent_ns);
}

/*
 *	received                                  answered
 *	   | |-- first --|        |-- third --|      |
 *	   |      |-- second --|                     |
 *
 * Calls that are open at the same time count once. `callee` NULL: those to all callees.
 */
static struct call_callee made_calls_add_up(const struct made_calls *made, const struct call *call,
					    const uint64_t *callee)
{
	struct call_callee sum = {0};
	uint64_t until_ns = call->received_ns;

	for (size_t i = 0; i < made->found_cnt && step_limit_spend(1); i++) {
		const struct made_call *one = made->found[i];
		uint64_t from_ns = one->sent_ns > until_ns ? one->sent_ns : until_ns;

		if (callee && one->callee != *callee)
			continue;
		sum.calls++;
		sum.channel = one->channel;
		if (one->back_ns <= from_ns)
			continue;
		sum.ns += one->back_ns - from_ns;
		until_ns = one->back_ns;
	}
	return sum;
}

/* Largest first. */
static void made_calls_insert(struct call *call, struct call_callee sum)
{
	uint32_t at;

	if (call->callee_cnt < CALL_CALLEES_MAX)
		call->callee_cnt++;
	else if (sum.ns <= call->callee[CALL_CALLEES_MAX - 1].ns)
		return;
	for (at = call->callee_cnt - 1; at && call->callee[at - 1].ns < sum.ns; at--)
		call->callee[at] = call->callee[at - 1];
	call->callee[at] = sum;
}

/* The calls are in the order of their begin. */
static bool are_apart(const struct made_calls *made)
{
	for (size_t i = 1; i < made->found_cnt && step_limit_spend(1); i++) {
		if (made->found[i]->sent_ns < made->found[i - 1]->back_ns)
			return false;
	}
	return true;
}

static bool was_before(const struct made_calls *made, size_t i)
{
	for (size_t k = 0; k < i && step_limit_spend(1); k++) {
		if (made->found[k]->callee == made->found[i]->callee)
			return true;
	}
	return false;
}

static void made_calls_fill_in(struct made_calls *made, struct call *call)
{
	struct call_callee all;

	if (step_limit_spend_sort(made->found_cnt))
		qsort(made->found, made->found_cnt, sizeof(*made->found), made_calls_by_begin);
	all = made_calls_add_up(made, call, NULL);
	call->nested = all.calls;
	call->nested_ns = all.ns;
	call->are_nested_apart = are_apart(made);
	call->callee_cnt = 0;
	for (size_t i = 0; i < made->found_cnt; i++) {
		if (!was_before(made, i))
			made_calls_insert(call,
					  made_calls_add_up(made, call, &made->found[i]->callee));
	}
}

int made_calls__take(struct made_calls *made, struct work_log *work, struct timelines *lines,
		     const struct service_path *path, struct call *call)
{
	const struct threads threads = {work, lines};
	struct owner *owner = made_calls_find(made, call->number);
	int err;

	made->found_cnt = 0;
	err = made_calls_note_known(made, owner, call);
	for (uint32_t i = 0; !err && i < path->cnt; i++)
		err = note_part(made, &threads, &path->part[i], call);
	for (uint32_t i = 0; !err && i < path->helper_cnt; i++)
		err = note_part(made, &threads, &path->helper[i], call);
	if (!err && made->found_cnt)
		made_calls_fill_in(made, call);
	if (owner)
		made_calls_forget(made, owner);
	return err;
}

void made_calls__trim(struct made_calls *made, uint64_t horizon_ns)
{
	struct owner *owner, *next;

	HASH_ITER (hh, made->owner, owner, next) {
		size_t old = 0;

		if (!step_limit_spend(STEPS_OF_THREAD))
			break;
		while (old < owner->cnt && owner->call[old].back_ns < horizon_ns)
			old++;
		if (old == owner->cnt)
			made_calls_forget(made, owner);
		else
			made_calls_drop_oldest(made, owner, old);
	}
}
