/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps a sum for each thread, number, errno and socket, and the channels of sockets. */
#include "analysis/attach/failing.h"

#include "container/hash_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A thread's own end of a channel. */
struct own_socket {
	uint32_t family;
	uint32_t inode; /* unix and pipes, */
	uint32_t ports; /* Internet: its own port and, in the low half, the other one */
};

struct socket_channel {
	struct own_socket socket;
	uint32_t channel;
	UT_hash_handle hh;
};

struct failing_key {
	uint32_t tid;
	uint32_t number;
	uint32_t error;
	struct own_socket socket;
};

struct failing_sum {
	struct failing_key key;
	uint64_t cnt;
	uint64_t ns;
	uint64_t last_ns;
	UT_hash_handle hh;
};

struct failing {
	struct socket_channel *channel; /* hash by socket, oldest first */
	struct failing_sum *sum;        /* hash by key, oldest first */
	uint64_t others;                /* calls whose sums had no room */
};

struct failing *failing__new(void)
{
	return calloc(1, sizeof(struct failing));
}

void failing__free(struct failing *failing)
{
	if (!failing)
		return;
	HASH_DROP_ALL(failing->channel);
	HASH_DROP_ALL(failing->sum);
	free(failing);
}

static struct own_socket own_socket_of(uint32_t family, uint32_t inode, uint32_t own_port,
				       uint32_t peer_port)
{
	bool is_inet = family == FAMILY_INET || family == FAMILY_INET6;

	return (struct own_socket){
		.family = family,
		.inode = is_inet ? 0 : inode,
		.ports = is_inet ? own_port << 16 | peer_port : 0,
	};
}

/* Whether it is one socket, or pipe, that is known. */
static bool own_socket_is_one(const struct own_socket *socket)
{
	return socket->inode || socket->ports;
}

static struct socket_channel *socket_channel_find(const struct failing *failing,
						  const struct own_socket *socket)
{
	struct socket_channel *channel;

	HASH_FIND(hh, failing->channel, socket, sizeof(*socket), channel);
	return channel;
}

/* The first channel of a socket stands for both directions. */
static int failing_add_socket(struct failing *failing, struct own_socket socket, uint32_t channel)
{
	struct socket_channel *entry;

	if (!own_socket_is_one(&socket) || socket_channel_find(failing, &socket))
		return 0;
	if (HASH_COUNT(failing->channel) >= FAILING_SOCKETS_MAX)
		HASH_DROP(failing->channel, failing->channel);
	HASH_ADD_NEW(failing->channel, socket, socket, entry);
	if (!entry)
		return -ENOMEM;
	entry->channel = channel;
	return 0;
}

int failing__address(struct failing *failing, const struct record_address *address)
{
	const struct own_socket sender = own_socket_of(
		address->family, address->inode, address->sender_port, address->receiver_port);
	const struct own_socket receiver =
		own_socket_of(address->family, 0, address->receiver_port, address->sender_port);
	int err;

	if (address->named & ADDRESS_IS_QUEUE)
		return 0;
	err = failing_add_socket(failing, sender, address->channel);
	return err ?: failing_add_socket(failing, receiver, address->channel);
}

int failing__add(struct failing *failing, const struct record_failed *record)
{
	struct failing_sum *sum;
	struct failing_key key;

	memset(&key, 0, sizeof(key)); /* it is a key */
	key.tid = record->head.tid;
	key.number = record->number;
	key.error = record->head.flags;
	key.socket = own_socket_of(record->family, record->inode, record->port, record->peer_port);
	HASH_FIND(hh, failing->sum, &key, sizeof(key), sum);
	if (!sum) {
		if (HASH_COUNT(failing->sum) >= FAILING_SUMS_MAX) {
			failing->others += failing->sum->cnt;
			HASH_DROP(failing->sum, failing->sum);
		}
		HASH_ADD_NEW(failing->sum, key, key, sum);
	}
	if (!sum)
		return -ENOMEM;
	sum->cnt += record->cnt;
	sum->ns += record->ns;
	if (record->to_ns > sum->last_ns)
		sum->last_ns = record->to_ns;
	return 0;
}

static struct failing_summary failing_summary_of(const struct failing *failing,
						 const struct failing_sum *sum,
						 const struct naming *naming)
{
	const struct own_socket *socket = &sum->key.socket;
	const struct socket_channel *channel = socket_channel_find(failing, socket);
	struct party party = {.tid = sum->key.tid};
	const struct record_name *name =
		naming->names ? names__find(naming->names, SLICE_TASK, party.tid, sum->last_ns)
			      : NULL;

	if (name)
		memcpy(party.comm, name->comm, sizeof(party.comm));
	return (struct failing_summary){
		.thread = end_of_thread(naming, &party, sum->last_ns),
		.number = sum->key.number,
		.error = sum->key.error,
		.port = socket->ports >> 16,
		.has_channel = channel,
		.channel = channel ? channel->channel : 0,
		.count = sum->cnt,
		.ns = sum->ns,
	};
}

static int longest_first(const void *a, const void *b)
{
	const struct failing_summary *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	return (x->count < y->count) - (x->count > y->count);
}

int failing__finish(const struct failing *failing, const struct naming *naming,
		    struct summary *summary)
{
	uint32_t cnt = HASH_COUNT(failing->sum), i = 0;
	const struct failing_sum *sum;

	if (!cnt)
		return 0;
	summary->failing = calloc(cnt, sizeof(*summary->failing));
	if (!summary->failing)
		return -ENOMEM;
	for (sum = failing->sum; sum; sum = sum->hh.next)
		summary->failing[i++] = failing_summary_of(failing, sum, naming);
	qsort(summary->failing, cnt, sizeof(*summary->failing), longest_first);
	summary->failing_cnt = cnt < SUMMARY_FAILING_MAX ? cnt : SUMMARY_FAILING_MAX;
	summary->failing_other = failing->others;
	for (i = summary->failing_cnt; i < cnt; i++)
		summary->failing_other += summary->failing[i].count;
	return 0;
}
