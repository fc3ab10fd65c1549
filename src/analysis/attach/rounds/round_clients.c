/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A receiver that has connected again keeps its number. When only the last number is left, all
 * further receivers share it.
 */
#include "analysis/attach/rounds/round_clients.h"

#include "container/hash_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

struct client_channel {
	uint32_t id;
	uint32_t number; /* 1..N */
	UT_hash_handle hh;
};

struct round_clients {
	struct client_channel *first;  /* hash by id */
	uint32_t client_cnt;           /* numbers given, without that of the others */
	struct client_summary *client; /* [ROUND_CLIENTS_MAX], by number - 1 */
};

struct round_clients *round_clients__new(void)
{
	struct round_clients *clients = calloc(1, sizeof(*clients));

	if (!clients)
		return NULL;
	clients->client = calloc(ROUND_CLIENTS_MAX, sizeof(*clients->client));
	if (clients->client)
		return clients;
	free(clients);
	return NULL;
}

void round_clients__free(struct round_clients *clients)
{
	if (!clients)
		return;
	HASH_DROP_ALL(clients->first);
	for (uint32_t i = 0; clients->client && i < ROUND_CLIENTS_MAX; i++)
		stat_free(&clients->client[i].latency);
	free(clients->client);
	free(clients);
}

struct client_summary *round_clients__clients(struct round_clients *clients)
{
	return clients->client;
}

/* The client that is this thread; NULL: there is none. */
static struct client_summary *same_receiver(struct round_clients *clients,
					    const struct party *receiver)
{
	for (uint32_t i = 0; i < clients->client_cnt; i++) {
		if (clients->client[i].tid == receiver->tid &&
		    !strcmp(clients->client[i].comm, receiver->comm))
			return &clients->client[i];
	}
	return NULL;
}

static struct client_summary *next_client(struct round_clients *clients,
					  const struct party *receiver)
{
	struct client_summary *client;

	if (clients->client_cnt == ROUND_CLIENTS_MAX - 1) {
		client = &clients->client[ROUND_CLIENTS_MAX - 1];
		client->client = ROUND_CLIENTS_MAX;
		snprintf(client->comm, sizeof(client->comm), "others");
		return client;
	}
	client = &clients->client[clients->client_cnt++];
	client->client = clients->client_cnt;
	client->tid = receiver->tid;
	memcpy(client->comm, receiver->comm, sizeof(client->comm));
	return client;
}

struct client_summary *round_clients__find(struct round_clients *clients, uint32_t id,
					   const struct party *receiver)
{
	struct client_channel *channel;
	struct client_summary *client;

	HASH_FIND(hh, clients->first, &id, sizeof(id), channel);
	if (channel)
		return &clients->client[channel->number - 1];
	client = same_receiver(clients, receiver) ?: next_client(clients, receiver);
	if (HASH_COUNT(clients->first) == ROUND_CHANNELS_MAX)
		return client;
	HASH_ADD_NEW(clients->first, id, id, channel);
	if (!channel)
		return NULL;
	channel->number = client->client;
	return client;
}

uint32_t round_clients__number(const struct round_clients *clients, uint32_t id)
{
	const struct client_channel *channel;

	HASH_FIND(hh, clients->first, &id, sizeof(id), channel);
	if (channel)
		return channel->number;
	return clients->client_cnt == ROUND_CLIENTS_MAX - 1 ? ROUND_CLIENTS_MAX : 0;
}

void round_clients__finish(struct round_clients *clients, struct summary *summary)
{
	summary->client = clients->client;
	summary->client_cnt = clients->client[ROUND_CLIENTS_MAX - 1].client ? ROUND_CLIENTS_MAX
									    : clients->client_cnt;
	clients->client = NULL;
}
