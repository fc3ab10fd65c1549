/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps new connections by their ports or inodes, and channels whose connection is known. */
#include "analysis/attach/connections/first_calls.h"

#include "container/hash_table.h"

#include <errno.h>
#include <stdlib.h>

/* More of each are not kept: the oldest one is forgotten. */
#define KEPT_MAX 16384

/* History is kept so long for a connection without a call. */
#define HISTORY_NS 2000000000ULL

/* The end that connects, and of a channel the one that sends. */
struct socket_key {
	uint32_t number; /* Internet: the ports of both ends, as in CONNECT; unix: its inode */
	uint32_t is_unix;
};

struct opening {
	struct socket_key socket;
	uint32_t tid;
	uint64_t enter_ns;
	uint64_t open_ns; /* connect() and accept() have both returned, as far as is known */
	struct accepted_by accepted;
	UT_hash_handle hh;
};

struct endpoint {
	uint32_t channel;
	struct socket_key socket;
	bool has_message;
	uint64_t enter_ns; /* that of its struct opening; 0: not known */
	uint64_t open_ns;  /* the same */
	uint64_t sent_ns;  /* its first message */
	struct accepted_by accepted;
	UT_hash_handle hh;
};

struct first_calls {
	struct opening *opening;   /* hash by socket */
	struct endpoint *endpoint; /* hash by channel */
};

/* Makes room for one more entry: those of a hash are in the order in which they came. */
#define FORGET_OLDEST(head)                                                                        \
	do {                                                                                       \
		if (HASH_COUNT(head) >= KEPT_MAX)                                                  \
			HASH_DROP(head, head);                                                     \
	} while (0)

struct first_calls *first_calls__new(void)
{
	return calloc(1, sizeof(struct first_calls));
}

void first_calls__free(struct first_calls *first)
{
	if (!first)
		return;
	HASH_DROP_ALL(first->opening);
	HASH_DROP_ALL(first->endpoint);
	free(first);
}

static struct socket_key socket_key_of(uint16_t family, uint32_t ports, uint32_t inode)
{
	bool is_unix = family == FAMILY_UNIX;

	return (struct socket_key){.number = is_unix ? inode : ports, .is_unix = is_unix};
}

/* NULL: there is none, or the number of the socket is not known. */
static struct opening *opening_of(const struct first_calls *first, struct socket_key socket)
{
	struct opening *opening = NULL;

	if (socket.number)
		HASH_FIND(hh, first->opening, &socket, sizeof(socket), opening);
	return opening;
}

static struct endpoint *endpoint_of(const struct first_calls *first, uint32_t channel)
{
	struct endpoint *endpoint;

	HASH_FIND(hh, first->endpoint, &channel, sizeof(channel), endpoint);
	return endpoint;
}

int first_calls__connect(struct first_calls *first, const struct record_connect *connect)
{
	struct socket_key socket = socket_key_of(connect->family, connect->ports, connect->number);
	struct opening *opening = opening_of(first, socket);
	bool is_made = !connect->error || connect->error == EINPROGRESS;

	if (!socket.number || !is_made)
		return 0;
	if (opening)
		HASH_DROP(first->opening, opening);
	FORGET_OLDEST(first->opening);
	HASH_ADD_NEW(first->opening, socket, socket, opening);
	if (!opening)
		return -ENOMEM;
	opening->tid = connect->head.tid;
	opening->enter_ns = connect->enter_ns;
	opening->open_ns = connect->exit_ns;
	opening->accepted = (struct accepted_by){0};
	return 0;
}

void first_calls__accept(struct first_calls *first, const struct record_accept *accept)
{
	struct opening *opening =
		opening_of(first, socket_key_of(accept->family, accept->ports, accept->number));

	if (!opening)
		return;
	opening->accepted = (struct accepted_by){accept->head.tid, accept->exit_ns};
	if (accept->exit_ns > opening->open_ns)
		opening->open_ns = accept->exit_ns;
}

int first_calls__address(struct first_calls *first, const struct record_address *address)
{
	uint32_t ports = (uint32_t)address->sender_port << 16 | address->receiver_port;
	struct endpoint *endpoint;

	if (address->family == FAMILY_FILE)
		return 0;
	if (endpoint_of(first, address->channel))
		return 0;
	FORGET_OLDEST(first->endpoint);
	HASH_ADD_NEW(first->endpoint, channel, address->channel, endpoint);
	if (!endpoint)
		return -ENOMEM;
	endpoint->socket = socket_key_of(address->family, ports, address->inode);
	return 0;
}

/* Both ends of a message are known when the connection is: it is open by then. */
uint64_t first_calls__message(struct first_calls *first, uint32_t channel, uint32_t tid,
			      uint64_t sent_ns)
{
	struct endpoint *endpoint = endpoint_of(first, channel);
	struct opening *opening;

	if (!endpoint || endpoint->has_message)
		return 0;
	endpoint->has_message = true;
	opening = opening_of(first, endpoint->socket);
	/* Another thread may have done anything in between. */
	if (!opening || opening->tid != tid || opening->enter_ns > sent_ns)
		return 0;
	endpoint->enter_ns = opening->enter_ns;
	endpoint->open_ns = opening->open_ns;
	endpoint->sent_ns = sent_ns;
	endpoint->accepted = opening->accepted;
	HASH_DROP(first->opening, opening);
	return endpoint->enter_ns;
}

struct accepted_by first_calls__accepted(const struct first_calls *first, uint32_t channel)
{
	const struct endpoint *endpoint = endpoint_of(first, channel);

	return endpoint ? endpoint->accepted : (struct accepted_by){0};
}

void first_calls__take(struct first_calls *first, struct call *call,
		       struct connections_summary *sum)
{
	const struct endpoint *endpoint = endpoint_of(first, call->channel);
	bool is_alone = call->match != CALL_SEVERAL && call->match != CALL_UNBALANCED;
	uint64_t open_ns;

	call->connect_ns = call->opening_ns = 0;
	if (!endpoint || !endpoint->enter_ns)
		return;
	sum->requests++;
	if (!is_alone || call->sent_ns != endpoint->sent_ns)
		return;
	open_ns = endpoint->open_ns < call->back_ns ? endpoint->open_ns : call->back_ns;
	call->connect_ns = call->sent_ns - endpoint->enter_ns;
	call->opening_ns = open_ns - endpoint->enter_ns;
	stat_add(&sum->first_call, call->back_ns - call->sent_ns + call->connect_ns);
	stat_add(&sum->before_call, call->connect_ns);
	sum->opening_ns += call->opening_ns;
}

uint64_t first_calls__horizon(const struct first_calls *first, uint64_t before_ns)
{
	uint64_t horizon_ns = UINT64_MAX;

	for (const struct opening *opening = first->opening; opening; opening = opening->hh.next) {
		if (opening->open_ns + HISTORY_NS > before_ns && opening->enter_ns < horizon_ns)
			horizon_ns = opening->enter_ns;
	}
	return horizon_ns;
}
