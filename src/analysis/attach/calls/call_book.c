/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps the sums in a hash table by service and client. */
#include "analysis/attach/calls/call_book.h"

#include "container/hash_table.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

struct pair_key {
	uint32_t server; /* pid; 0: all services for which there was no room */
	uint32_t client; /* pid; 0: several */
	char name[SERVICE_NAME_LEN];
};

struct pair {
	struct pair_key key;
	struct service_summary sum;

	/*
	 * How sure the names in `sum` are those of most calls (majority vote of Boyer and Moore).
	 */
	uint32_t worker_votes;
	uint32_t inside_votes;
	UT_hash_handle hh;
};

struct call_book {
	struct pair *pair; /* hash by key */
};

struct call_book *call_book__new(void)
{
	return calloc(1, sizeof(struct call_book));
}

static void remove_pair(struct call_book *book, struct pair *pair)
{
	stat_free(&pair->sum.round_trip);
	stat_free(&pair->sum.service);
	stat_free(&pair->sum.request);
	stat_free(&pair->sum.response);
	HASH_DROP(book->pair, pair);
}

void call_book__free(struct call_book *book)
{
	while (book && book->pair)
		remove_pair(book, book->pair);
	free(book);
}

static struct pair *call_book_find_or_make(struct call_book *book, struct pair_key *key)
{
	uint32_t room = CALL_BOOK_PAIRS_MAX * (!key->client ? 2 : 1);
	struct pair *pair;

	HASH_FIND(hh, book->pair, key, sizeof(*key), pair);
	/* The most general keys always have room. */
	if (!pair && HASH_COUNT(book->pair) >= room && key->server) {
		if (key->client)
			key->client = 0;
		else
			*key = (struct pair_key){.name = "other"};
		return call_book_find_or_make(book, key);
	}
	if (pair)
		return pair;
	HASH_ADD_NEW(book->pair, key, *key, pair);
	if (pair)
		memcpy(pair->sum.name, key->name, sizeof(key->name));
	return pair;
}

/* Whether the new value takes the place of the old one. */
static bool vote(uint32_t *votes, bool is_same)
{
	if (!is_same && *votes) {
		(*votes)--;
		return false;
	}
	(*votes)++;
	return !is_same;
}

static void vote_name(uint32_t *votes, char name[SERVICE_NAME_LEN], const char *new)
{
	if (vote(votes, !strcmp(name, new)))
		snprintf(name, SERVICE_NAME_LEN, "%s", new);
}

static void vote_worker(struct pair *pair, const struct end_summary *worker)
{
	struct service_summary *sum = &pair->sum;

	if (vote(&pair->worker_votes, sum->worker.tid == worker->tid)) {
		sum->worker = *worker;
		sum->worker_calls = 0;
	}
	sum->worker_calls += sum->worker.tid == worker->tid;
}

static void add_work(struct pair *pair, const struct call *call, const struct call_ends *ends)
{
	struct service_summary *sum = &pair->sum;

	if (call->has_states)
		vote_worker(pair, &ends->worker);
	if (ends->inside) {
		sum->nested++;
		vote_name(&pair->inside_votes, sum->inside, ends->inside);
	}
	sum->nests += call->nested > 0;
	sum->nested_ns += call->nested_ns;
	for (uint32_t i = 0; i < call->callee_cnt; i++) {
		const struct call_callee *callee = &call->callee[i];

		service_callee_add(sum, ends->callee[i], callee->calls, callee->ns);
	}
}

static void call_book_add_figures(struct service_summary *sum, const struct call *call)
{
	sum->ambiguous += call->is_ambiguous;
	sum->guessed += call->is_guessed;
	if (call->match == CALL_SEVERAL || call->match == CALL_UNBALANCED) {
		sum->open_several += call->match == CALL_UNBALANCED ? call->requests : 1;
		return;
	}
	sum->count++;
	stat_add(&sum->round_trip, call->back_ns - call->sent_ns);
	stat_add(&sum->service, call->answered_ns - call->received_ns);
	stat_add(&sum->request, call->received_ns - call->sent_ns);
	stat_add(&sum->response, call->back_ns - call->answered_ns);
	sum->state_cnt += call->has_states;
	blocked_calls_merge(&sum->blocked, &call->blocked);
	blame_top_add(&sum->blame, call->blame.entry, call->blame.cnt);
	for (int i = 0; i < NR_SERVICE_STATES; i++)
		sum->state_ns[i] += call->state_ns[i];
	answer_parts_add(&sum->parts, call_parts_ns(call), call->between);
	component_sum_add_call(&sum->components, call);
}

int call_book__add(struct call_book *book, const struct call *call, const struct call_ends *ends)
{
	struct pair_key key = {.server = ends->server.pid, .client = ends->client.pid};
	struct pair *pair;

	/* The rest stays 0: it is part of the key. */
	memcpy(key.name, ends->name, strnlen(ends->name, SERVICE_NAME_LEN - 1));
	pair = call_book_find_or_make(book, &key);
	if (!pair)
		return -ENOMEM;
	pair->sum.transport = call->transport;
	pair->sum.is_target |= ends->is_target;
	if (key.server)
		pair->sum.server = ends->server;
	if (key.client)
		pair->sum.client = ends->client;
	call_book_add_figures(&pair->sum, call);
	add_work(pair, call, ends);
	return 0;
}

uint64_t call_book__slowest(const struct call_book *book, struct end_summary *server)
{
	uint64_t slowest_ns = 0;

	*server = (struct end_summary){0};
	for (const struct pair *pair = book->pair; pair; pair = pair->hh.next) {
		if (pair->sum.round_trip.max <= slowest_ns)
			continue;
		slowest_ns = pair->sum.round_trip.max;
		*server = pair->sum.server;
	}
	return slowest_ns;
}

static uint64_t all_calls(const struct service_summary *sum)
{
	return sum->count + sum->open_several;
}

static int call_book_most_calls_first(const void *a, const void *b)
{
	const struct service_summary *x = a, *y = b;

	if (all_calls(x) != all_calls(y))
		return all_calls(x) < all_calls(y) ? 1 : -1;
	if (x->server.pid != y->server.pid)
		return x->server.pid < y->server.pid ? -1 : 1;
	return (x->client.pid > y->client.pid) - (x->client.pid < y->client.pid);
}

int call_book__finish(struct call_book *book, struct calls_summary *calls)
{
	struct pair *pair, *next;

	calls->service_of = calloc(HASH_COUNT(book->pair) + 1, sizeof(*calls->service_of));
	if (!calls->service_of)
		return -ENOMEM;
	HASH_ITER (hh, book->pair, pair, next) {
		blocked_calls_sort(&pair->sum.blocked);
		blame_top_sort(&pair->sum.blame);
		server_time_sort(&pair->sum.parts.did);
		service_callees_sort(&pair->sum);
		calls->service_of[calls->service_cnt++] = pair->sum;
		HASH_DROP(book->pair, pair);
	}
	qsort(calls->service_of, calls->service_cnt, sizeof(*calls->service_of),
	      call_book_most_calls_first);
	return 0;
}
