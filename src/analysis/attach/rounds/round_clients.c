/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Assigns the next free number to each new channel of a round. A round is a series of messages
 * from one thread to several channels. When only the last number is left, all further channels
 * share this number.
 */
#include "analysis/attach/rounds/round_clients.h"

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
	struct client_channel *channel, *next;

	if (!clients)
		return;
	HASH_ITER (hh, clients->first, channel, next) {
		HASH_DEL(clients->first, channel);
		free(channel);
	}
	for (uint32_t i = 0; clients->client && i < ROUND_CLIENTS_MAX; i++)
		stat_free(&clients->client[i].latency);
	free(clients->client);
	free(clients);
}

struct client_summary *round_clients__clients(struct round_clients *clients)
{
	return clients->client;
}

static struct client_summary *others_of(struct round_clients *clients)
{
	struct client_summary *others = &clients->client[ROUND_CLIENTS_MAX - 1];

	others->client = ROUND_CLIENTS_MAX;
	snprintf(others->comm, sizeof(others->comm), "others");
	return others;
}

struct client_summary *round_clients__find(struct round_clients *clients, uint32_t id,
					   const struct party *receiver)
{
	struct client_channel *channel;
	struct client_summary *client;

	HASH_FIND(hh, clients->first, &id, sizeof(id), channel);
	if (channel)
		return &clients->client[channel->number - 1];
	if (HASH_COUNT(clients->first) == ROUND_CLIENTS_MAX - 1)
		return others_of(clients);
	channel = calloc(1, sizeof(*channel));
	if (!channel)
		return NULL;
	channel->id = id;
	channel->number = HASH_COUNT(clients->first) + 1;
	HASH_ADD(hh, clients->first, id, sizeof(channel->id), channel);
	client = &clients->client[channel->number - 1];
	client->client = channel->number;
	client->tid = receiver->tid;
	memcpy(client->comm, receiver->comm, sizeof(client->comm));
	return client;
}

uint32_t round_clients__number(const struct round_clients *clients, uint32_t id)
{
	const struct client_channel *channel;

	HASH_FIND(hh, clients->first, &id, sizeof(id), channel);
	if (channel)
		return channel->number;
	return HASH_COUNT(clients->first) == ROUND_CLIENTS_MAX - 1 ? ROUND_CLIENTS_MAX : 0;
}

void round_clients__finish(struct round_clients *clients, struct summary *summary)
{
	summary->client = clients->client;
	summary->client_cnt = clients->client[ROUND_CLIENTS_MAX - 1].client
				      ? ROUND_CLIENTS_MAX
				      : HASH_COUNT(clients->first);
	clients->client = NULL;
}
