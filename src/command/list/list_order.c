/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Orders the list by connections. The connections of a service are those whose receiving end has
 * its name or its port: an accepted socket has those of its listener. The same port of IPv4 and
 * IPv6 is one, because `attach --port` traces both.
 */
#include "command/list/list_order.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The ends with one name or one port, or the connections of one process. */
struct group {
	char *key;
	size_t cnt;
	struct owner process;
	UT_hash_handle hh;
};

#define KEY_LEN (END_NAME_LEN + 64)

static bool order_is_tcp(enum transport_id transport)
{
	return transport == TRANSPORT_TCP || transport == TRANSPORT_TCP6;
}

/* False: the end has neither a name nor a port. */
static bool order_key(const struct end *end, char key[KEY_LEN])
{
	unsigned long long network = end->network;
	char name[END_NAME_LEN];

	if (is_inet(end->transport)) {
		snprintf(key, KEY_LEN, "%s %llu %u", order_is_tcp(end->transport) ? "tcp" : "udp",
			 network, end->inet.local.port);
		return true;
	}
	end_name(end, name);
	snprintf(key, KEY_LEN, "%u %llu %s", end->transport, network, name);
	return is_unix(end->transport) && name[0];
}

/* The group, which is made if there is none. NULL: out of memory. */
static struct group *order_group(struct group **groups, const char *key)
{
	struct group *group;

	HASH_FIND_STR(*groups, key, group);
	if (group)
		return group;
	group = calloc(1, sizeof(*group));
	if (!group)
		return NULL;
	group->key = strdup(key);
	if (!group->key) {
		free(group);
		return NULL;
	}
	HASH_ADD_KEYPTR(hh, *groups, group->key, strlen(group->key), group);
	return group;
}

static void groups_free(struct group **groups)
{
	struct group *group, *next;

	HASH_ITER (hh, *groups, group, next) {
		HASH_DEL(*groups, group);
		free(group->key);
		free(group);
	}
}

static int count_by_service(const struct channel_list *list, struct group **groups)
{
	char key[KEY_LEN];

	for (size_t i = 0; i < list->connection_cnt; i++) {
		const struct end *to = list->connection[i].to;
		struct group *group;

		if (!to || !order_key(to, key))
			continue;
		group = order_group(groups, key);
		if (!group)
			return -ENOMEM;
		group->cnt++;
	}
	return 0;
}

static size_t group_cnt(struct group *groups, const struct end *end)
{
	struct group *group = NULL;
	char key[KEY_LEN];

	if (end && order_key(end, key))
		HASH_FIND_STR(groups, key, group);
	return group ? group->cnt : 0;
}

static int count_process(struct group **groups, const struct end *end)
{
	struct group *group;
	char key[16];

	if (!end || !end->holding.cnt)
		return 0;
	snprintf(key, sizeof(key), "%u", end->holding.first.pid);
	group = order_group(groups, key);
	if (!group)
		return -ENOMEM;
	group->process = end->holding.first;
	group->cnt++;
	return 0;
}

static uint32_t order_holder(const struct end *end)
{
	return end && end->holding.cnt ? end->holding.first.pid : 0;
}

/* A process that only talks to itself is no advice. */
static int count_by_process(const struct channel_list *list, uint32_t own_pid,
			    struct group **groups)
{
	int err = 0;

	for (size_t i = 0; i < list->connection_cnt && !err; i++) {
		const struct end *from = list->connection[i].from, *to = list->connection[i].to;

		if (order_holder(from) == own_pid || order_holder(to) == own_pid ||
		    order_holder(from) == order_holder(to))
			continue;
		err = count_process(groups, from) ?: count_process(groups, to);
	}
	return err;
}

static void advise_process(struct group *groups, struct list_advice *advice)
{
	for (struct group *group = groups; group; group = group->hh.next) {
		if (group->cnt <= advice->connection_cnt)
			continue;
		advice->connection_cnt = group->cnt;
		advice->process = group->process;
		advice->words.option = "-p";
		snprintf(advice->words.value, sizeof(advice->words.value), "%s", group->key);
	}
}

/* The first service of the order that attach can trace. `least`: with as many connections. */
static void advise_service(struct list_order *order, size_t least)
{
	const struct channel_list *list = order->list;

	for (size_t i = 0; i < list->service_cnt && !order->advice.words.option; i++) {
		size_t index = order->service[i];

		if (order->open_cnt[index] < least)
			return;
		order->advice.service = list->service[index];
		order->advice.connection_cnt = order->open_cnt[index];
		service_attach(order->advice.service, list->own_network, &order->advice.words);
	}
}

/* Without connections, a service is the second choice, as nothing can be seen there yet. */
static int advise(struct list_order *order, uint32_t own_pid)
{
	struct group *processes = NULL;
	int err = 0;

	advise_service(order, 1);
	if (!order->advice.words.option) {
		order->advice = (struct list_advice){0};
		err = count_by_process(order->list, own_pid, &processes);
		advise_process(processes, &order->advice);
		groups_free(&processes);
	}
	if (!order->advice.words.option)
		advise_service(order, 0);
	return err;
}

static void count_traced(struct list_order *order)
{
	const struct channel_list *list = order->list;
	struct attach_words words;

	for (size_t i = 0; i < list->service_cnt; i++) {
		service_attach(list->service[i], list->own_network, &words);
		order->traced_services += words.option != NULL;
	}
	for (size_t i = 0; i < list->connection_cnt; i++) {
		connection_attach(&list->connection[i], list->own_network, &words);
		order->traced_connections += words.option != NULL;
	}
}

struct ranked {
	size_t cnt, index;
};

/* The order of the list remains among those with as many connections. */
static int compare_ranked(const void *left, const void *right)
{
	const struct ranked *a = left, *b = right;

	if (a->cnt != b->cnt)
		return a->cnt > b->cnt ? -1 : 1;
	return (a->index > b->index) - (a->index < b->index);
}

static void order_rank(struct ranked *ranked, size_t cnt, size_t *index)
{
	if (cnt)
		qsort(ranked, cnt, sizeof(*ranked), compare_ranked);
	for (size_t i = 0; i < cnt; i++)
		index[i] = ranked[i].index;
}

static int rank_all(struct list_order *order, struct group *groups)
{
	const struct channel_list *list = order->list;
	size_t most = list->service_cnt + list->connection_cnt;
	struct ranked *ranked = calloc(most + 1, sizeof(*ranked));

	if (!ranked)
		return -ENOMEM;
	for (size_t i = 0; i < list->service_cnt; i++) {
		order->open_cnt[i] = group_cnt(groups, list->service[i]);
		ranked[i] = (struct ranked){order->open_cnt[i], i};
	}
	order_rank(ranked, list->service_cnt, order->service);
	for (size_t i = 0; i < list->connection_cnt; i++)
		ranked[i] = (struct ranked){group_cnt(groups, list->connection[i].to), i};
	order_rank(ranked, list->connection_cnt, order->connection);
	free(ranked);
	return 0;
}

int list_order_make(const struct channel_list *list, uint32_t own_pid, struct list_order *order)
{
	struct group *groups = NULL;
	int err;

	*order = (struct list_order){
		.list = list,
		.service = calloc(list->service_cnt + 1, sizeof(*order->service)),
		.connection = calloc(list->connection_cnt + 1, sizeof(*order->connection)),
		.open_cnt = calloc(list->service_cnt + 1, sizeof(*order->open_cnt))};
	if (!order->service || !order->connection || !order->open_cnt)
		return -ENOMEM;
	err = count_by_service(list, &groups);
	if (!err)
		err = rank_all(order, groups);
	groups_free(&groups);
	if (err)
		return err;
	count_traced(order);
	return advise(order, own_pid);
}

void list_order_free(struct list_order *order)
{
	free(order->service);
	free(order->connection);
	free(order->open_cnt);
}
