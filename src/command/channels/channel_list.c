/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements the list of channels (sockets, pipes and queues). Adds, filters and sorts entries. */
#include "command/channels/channel_list.h"

#include "container/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool address_is_v4(const struct address *address)
{
	static const uint8_t prefix[12] = {[10] = 0xff, [11] = 0xff};

	return !memcmp(address->ip, prefix, sizeof(prefix));
}

const char *connection_state_name(enum connection_state state)
{
	static const char *const names[NR_CONNECTION_STATES] = {
		[CONNECTION_OPEN] = "open",
		[CONNECTION_HALF_CLOSED] = "half_closed",
		[CONNECTION_NOT_ACCEPTED] = "not_accepted",
		[CONNECTION_PEER_GONE] = "peer_gone",
	};

	return names[state];
}

struct channel_list *channel_list__new(uint64_t own_network)
{
	struct channel_list *list = calloc(1, sizeof(*list));

	if (list)
		list->own_network = own_network;
	return list;
}

void channel_list__free(struct channel_list *list)
{
	struct waiting *waiting, *next;

	if (!list)
		return;
	HASH_ITER (hh, list->waiting, waiting, next) {
		HASH_DEL(list->waiting, waiting);
		free(waiting);
	}
	for (size_t i = 0; i < list->end_cnt; i++) {
		free(list->end[i]->name);
		free(list->end[i]->path);
		free(list->end[i]);
	}
	free(list->end);
	free(list->service);
	free(list->connection);
	free(list);
}

struct end *channel_list__new_end(struct channel_list *list)
{
	struct end *end;

	if (array_grow(&list->end, list->end_cnt, &list->end_room, sizeof(struct end *)))
		return NULL;
	end = calloc(1, sizeof(*end));
	if (end)
		list->end[list->end_cnt++] = end;
	return end;
}

static struct end *channel_list_add_end(struct channel_list *list, const struct end *end)
{
	struct end *copy = channel_list__new_end(list);
	char *name = NULL;

	if (!copy)
		return NULL;
	if (end->name) {
		name = malloc(end->name_len + 1);
		if (!name)
			return NULL;
		memcpy(name, end->name, end->name_len);
		name[end->name_len] = '\0';
	}
	*copy = *end;
	copy->name = name;
	return copy;
}

static bool channel_list_has_room(struct channel_list *list, size_t cnt)
{
	if (list->end_cnt + cnt <= LIST_ENDS_MAX)
		return true;
	list->refused += cnt;
	return false;
}

int channel_list__add(struct channel_list *list, const struct end *end)
{
	return !channel_list_has_room(list, 1) || channel_list_add_end(list, end) ? 0 : -ENOMEM;
}

int channel_list__add_waiting(struct channel_list *list, uint64_t listener, uint64_t client)
{
	struct waiting *waiting;

	HASH_FIND(hh, list->waiting, &client, sizeof(client), waiting);
	if (waiting || !client || HASH_COUNT(list->waiting) >= LIST_ENDS_MAX)
		return 0;
	waiting = calloc(1, sizeof(*waiting));
	if (!waiting)
		return -ENOMEM;
	waiting->client = client;
	waiting->listener = listener;
	HASH_ADD(hh, list->waiting, client, sizeof(waiting->client), waiting);
	return 0;
}

int channel_list__add_pair(struct channel_list *list, const struct end *from, const struct end *to)
{
	struct connection connection = {.transport = (from ?: to)->transport,
					.state = CONNECTION_PEER_GONE};

	if (!channel_list_has_room(list, 2))
		return 0;
	if (from && to)
		connection.state = CONNECTION_OPEN;
	if (from) {
		connection.from = channel_list_add_end(list, from);
		if (!connection.from)
			return -ENOMEM;
	}
	if (to) {
		connection.to = channel_list_add_end(list, to);
		if (!connection.to)
			return -ENOMEM;
	}
	return channel_list__add_connection(list, &connection);
}

int channel_list__add_service(struct channel_list *list, const struct end *end)
{
	if (array_grow(&list->service, list->service_cnt, &list->service_room,
		       sizeof(struct end *)))
		return -ENOMEM;
	list->service[list->service_cnt++] = end;
	return 0;
}

int channel_list__add_connection(struct channel_list *list, const struct connection *connection)
{
	if (array_grow(&list->connection, list->connection_cnt, &list->connection_room,
		       sizeof(*list->connection)))
		return -ENOMEM;
	list->connection[list->connection_cnt++] = *connection;
	return 0;
}

void channel_list__set_owners(struct channel_list *list, const struct owners *owners)
{
	for (size_t i = 0; i < list->end_cnt; i++) {
		struct end *end = list->end[i];
		const struct holding *holding;

		if (!end->inode || !(is_unix(end->transport) || is_inet(end->transport)))
			continue;
		holding = owners_of(owners, end->inode);
		if (holding)
			end->holding = *holding;
	}
}

static int channel_list_compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_names(const struct end *a, const struct end *b)
{
	size_t length = a->name_len < b->name_len ? a->name_len : b->name_len;
	int order = length ? memcmp(a->name, b->name, length) : 0;

	return order ?: channel_list_compare_numbers(a->name_len, b->name_len);
}

/* The order follows what the output shows. The inode only makes it definite. */
static int compare_ends(const struct end *a, const struct end *b)
{
	int order = a && b ? 0 : !a - !b;

	if (order || !a)
		return order;
	order = compare_names(a, b);
	if (!order)
		order = channel_list_compare_numbers(a->inet.local.port, b->inet.local.port);
	if (!order)
		order = memcmp(a->inet.local.ip, b->inet.local.ip, sizeof(a->inet.local.ip));
	return order ?: channel_list_compare_numbers(a->inode, b->inode);
}

static int compare_transports(enum transport_id a, enum transport_id b)
{
	size_t i = 0;

	while (listed_transports[i] != a && listed_transports[i] != b)
		i++;
	return a == b ? 0 : listed_transports[i] == a ? -1 : 1;
}

static int compare_services(const void *left, const void *right)
{
	const struct end *a = *(const struct end *const *)left;
	const struct end *b = *(const struct end *const *)right;

	return compare_transports(a->transport, b->transport) ?: compare_ends(a, b);
}

static int compare_connections(const void *left, const void *right)
{
	const struct connection *a = left, *b = right;
	int order = compare_transports(a->transport, b->transport) ?: compare_ends(a->to, b->to);

	return order ?: compare_ends(a->from, b->from);
}

static bool keeps(const struct end *end, unsigned int transports, bool wanted)
{
	return (!transports || transports & 1u << end->transport) &&
	       (!wanted || end->holding.wanted);
}

static bool keeps_connection(const struct connection *connection, unsigned int transports,
			     bool wanted)
{
	return (!transports || transports & 1u << connection->transport) &&
	       ((connection->from && keeps(connection->from, 0, wanted)) ||
		(connection->to && keeps(connection->to, 0, wanted)));
}

static void channel_list_count_others(struct channel_list *list, unsigned int transports,
				      bool wanted)
{
	list->elsewhere = list->idle = 0;
	for (size_t i = 0; i < list->end_cnt; i++) {
		if (!keeps(list->end[i], transports, wanted))
			continue;
		list->elsewhere += list->end[i]->elsewhere;
		list->idle += list->end[i]->idle;
	}
}

static void channel_list_sort(struct channel_list *list)
{
	if (list->service_cnt)
		qsort(list->service, list->service_cnt, sizeof(*list->service), compare_services);
	if (list->connection_cnt)
		qsort(list->connection, list->connection_cnt, sizeof(*list->connection),
		      compare_connections);
}

void channel_list__filter(struct channel_list *list, unsigned int transports, bool wanted)
{
	size_t cnt = 0;

	for (size_t i = 0; i < list->service_cnt; i++) {
		if (keeps(list->service[i], transports, wanted))
			list->service[cnt++] = list->service[i];
	}
	list->service_cnt = cnt;
	cnt = 0;
	for (size_t i = 0; i < list->connection_cnt; i++) {
		if (keeps_connection(&list->connection[i], transports, wanted))
			list->connection[cnt++] = list->connection[i];
	}
	list->connection_cnt = cnt;
	channel_list_count_others(list, transports, wanted);
	channel_list_sort(list);
}
