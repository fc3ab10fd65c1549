/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/attach/round_clients.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

/* A channel that takes part in rounds. */
struct listener {
	uint32_t id;
	uint32_t number; /* 1..N */
	UT_hash_handle hh;
};

struct round_clients {
	struct listener *first;        /* hash by id */
	struct client_summary *client; /* [ROUND_CLIENTS_MAX], by number - 1 */
};

struct round_clients *round_clients__new(void)
{
	struct round_clients *listeners = calloc(1, sizeof(*listeners));

	if (!listeners)
		return NULL;
	listeners->client = calloc(ROUND_CLIENTS_MAX, sizeof(*listeners->client));
	if (listeners->client)
		return listeners;
	free(listeners);
	return NULL;
}

void round_clients__free(struct round_clients *listeners)
{
	struct listener *listener, *next;

	if (!listeners)
		return;
	HASH_ITER (hh, listeners->first, listener, next) {
		HASH_DEL(listeners->first, listener);
		free(listener);
	}
	for (uint32_t i = 0; listeners->client && i < ROUND_CLIENTS_MAX; i++)
		stat_free(&listeners->client[i].latency);
	free(listeners->client);
	free(listeners);
}

struct client_summary *round_clients__clients(struct round_clients *listeners)
{
	return listeners->client;
}

static struct client_summary *others_of(struct round_clients *listeners)
{
	struct client_summary *others = &listeners->client[ROUND_CLIENTS_MAX - 1];

	others->client = ROUND_CLIENTS_MAX;
	snprintf(others->comm, sizeof(others->comm), "others");
	return others;
}

struct client_summary *round_clients__find(struct round_clients *listeners, uint32_t channel,
					   const struct party *receiver)
{
	struct listener *listener;
	struct client_summary *client;

	HASH_FIND(hh, listeners->first, &channel, sizeof(channel), listener);
	if (listener)
		return &listeners->client[listener->number - 1];
	if (HASH_COUNT(listeners->first) == ROUND_CLIENTS_MAX - 1)
		return others_of(listeners);
	listener = calloc(1, sizeof(*listener));
	if (!listener)
		return NULL;
	listener->id = channel;
	listener->number = HASH_COUNT(listeners->first) + 1;
	HASH_ADD(hh, listeners->first, id, sizeof(listener->id), listener);
	client = &listeners->client[listener->number - 1];
	client->client = listener->number;
	client->tid = receiver->tid;
	memcpy(client->comm, receiver->comm, sizeof(client->comm));
	return client;
}

void round_clients__finish(struct round_clients *listeners, struct summary *summary)
{
	summary->client = listeners->client;
	summary->client_cnt = listeners->client[ROUND_CLIENTS_MAX - 1].client
				      ? ROUND_CLIENTS_MAX
				      : HASH_COUNT(listeners->first);
	listeners->client = NULL;
}
