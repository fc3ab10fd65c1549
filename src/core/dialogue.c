/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/dialogue.h"

#include "core/service.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

struct request {
	uint32_t channel;
	uint32_t server_tid;
	uint64_t send_ns;
	uint64_t recv_ns;
};

/* Both ends of a connection, the lesser first. */
struct ends {
	uint64_t low;
	uint64_t high;
};

enum asker { ASKER_UNKNOWN, ASKER_LOW, ASKER_HIGH };

struct connection {
	struct ends ends;
	enum asker asker; /* whose messages are requests */
	struct request *open;
	size_t open_cnt, open_room;
	UT_hash_handle hh;
};

/* One way of a connection. */
struct way {
	uint32_t id;
	struct ends ends;
	bool from_low;
	enum asker asker; /* as far as its address tells */
	UT_hash_handle hh;
};

struct dialogues {
	struct connection *connection; /* hash by ends, quiet ones first */
	struct way *way;               /* hash by id, oldest first */
};

struct dialogues *dialogues__new(void)
{
	return calloc(1, sizeof(struct dialogues));
}

static void remove_connection(struct dialogues *dialogues, struct connection *connection)
{
	HASH_DEL(dialogues->connection, connection);
	free(connection->open);
	free(connection);
}

static void remove_way(struct dialogues *dialogues, struct way *way)
{
	HASH_DEL(dialogues->way, way);
	free(way);
}

void dialogues__free(struct dialogues *dialogues)
{
	struct connection *connection, *next;
	struct way *way, *next_way;

	if (!dialogues)
		return;
	HASH_ITER (hh, dialogues->connection, connection, next)
		remove_connection(dialogues, connection);
	HASH_ITER (hh, dialogues->way, way, next_way)
		remove_way(dialogues, way);
	free(dialogues);
}

static struct way *find_way(const struct dialogues *dialogues, uint32_t id)
{
	struct way *way;

	HASH_FIND(hh, dialogues->way, &id, sizeof(id), way);
	return way;
}

static struct way *find_or_make_way(struct dialogues *dialogues, uint32_t id)
{
	struct way *way = find_way(dialogues, id);

	if (way)
		return way;
	if (HASH_COUNT(dialogues->way) >= 2 * DIALOGUE_CONNECTIONS_MAX)
		remove_way(dialogues, dialogues->way);
	way = calloc(1, sizeof(*way));
	if (!way)
		return NULL;
	way->id = id;
	HASH_ADD(hh, dialogues->way, id, sizeof(way->id), way);
	return way;
}

int dialogues__channel(struct dialogues *dialogues, const struct record_channel *channel)
{
	struct way *way = find_or_make_way(dialogues, channel->channel);

	if (!way)
		return -ENOMEM;
	way->from_low = channel->sender < channel->receiver;
	way->ends.low = way->from_low ? channel->sender : channel->receiver;
	way->ends.high = way->from_low ? channel->receiver : channel->sender;
	return 0;
}

/*
 * A server has a name that others know: a path, a port that it listens on, or else the lower one of
 * two ports. 1: the sender serves, -1: the receiver does, 0: not known.
 */
static int who_serves(const struct record_address *address)
{
	if (address->named == ADDRESS_OF_SENDER)
		return 1;
	if (address->named == ADDRESS_OF_RECEIVER)
		return -1;
	return (address->sender_port < address->receiver_port) -
	       (address->sender_port > address->receiver_port);
}

int dialogues__address(struct dialogues *dialogues, const struct record_address *address)
{
	struct way *way = find_or_make_way(dialogues, address->channel);
	int serves = who_serves(address);

	if (!way)
		return -ENOMEM;
	if (serves)
		way->asker = (serves < 0) == way->from_low ? ASKER_LOW : ASKER_HIGH;
	return 0;
}

/* Whoever is not known to be asked begins, or is no target. */
static enum asker asker_of(const struct way *way, bool from_target)
{
	if (way->asker)
		return way->asker;
	return way->from_low != from_target ? ASKER_LOW : ASKER_HIGH;
}

static struct connection *connection_of(struct dialogues *dialogues, const struct way *way,
					bool from_target)
{
	struct connection *connection;

	HASH_FIND(hh, dialogues->connection, &way->ends, sizeof(way->ends), connection);
	if (connection) {
		HASH_DEL(dialogues->connection, connection);
	} else {
		if (HASH_COUNT(dialogues->connection) >= DIALOGUE_CONNECTIONS_MAX)
			remove_connection(dialogues, dialogues->connection);
		connection = calloc(1, sizeof(*connection));
		if (!connection)
			return NULL;
		connection->ends = way->ends;
		connection->asker = asker_of(way, from_target);
	}
	HASH_ADD(hh, dialogues->connection, ends, sizeof(connection->ends), connection);
	return connection;
}

static void drop_oldest(struct connection *connection, size_t cnt)
{
	connection->open_cnt -= cnt;
	memmove(connection->open, connection->open + cnt,
		connection->open_cnt * sizeof(*connection->open));
}

static int open_request(struct connection *connection, const struct message *message)
{
	size_t room = connection->open_room ? 2 * connection->open_room : 4;
	struct request *open;

	if (connection->open_cnt == DIALOGUE_OPEN_MAX)
		drop_oldest(connection, 1);
	if (connection->open_cnt == connection->open_room) {
		open = realloc(connection->open, room * sizeof(*open));
		if (!open)
			return -ENOMEM;
		connection->open = open;
		connection->open_room = room;
	}
	connection->open[connection->open_cnt++] = (struct request){
		.channel = message->channel,
		.server_tid = message->receiver.tid,
		.send_ns = message->send_ns,
		.recv_ns = message->recv_ns,
	};
	return 0;
}

/* Its states are those of the thread that took the request, if that answers. */
static void cut_service(const struct request *request, const struct message *answer,
			struct timelines *lines, struct calls_summary *calls)
{
	uint64_t state_ns[NR_SERVICE_STATES];
	struct timeline line;

	if (request->server_tid != answer->sender.tid)
		return;
	line = timelines__of(lines, request->server_tid);
	if (!service_cut(&line, request->recv_ns, answer->send_ns, state_ns))
		return;
	calls->state_cnt++;
	for (int i = 0; i < NR_SERVICE_STATES; i++)
		calls->state_ns[i] += state_ns[i];
}

static void add_call(const struct request *request, const struct message *answer,
		     struct timelines *lines, struct calls_summary *calls)
{
	calls->count++;
	stat_add(&calls->round_trip, answer->recv_ns - request->send_ns);
	stat_add(&calls->request, request->recv_ns - request->send_ns);
	stat_add(&calls->service, answer->send_ns - request->recv_ns);
	stat_add(&calls->response, answer->recv_ns - answer->send_ns);
	cut_service(request, answer, lines, calls);
}

int dialogues__message(struct dialogues *dialogues, const struct message *message, bool from_target,
		       struct timelines *lines, struct calls_summary *calls,
		       dialogues_call_fn *on_call, void *ctx)
{
	const struct way *way = find_way(dialogues, message->channel);
	struct connection *connection;
	size_t answered = 0;

	/* A channel whose other way is not known, or that has none. */
	if (!way || !way->ends.low)
		return 0;
	connection = connection_of(dialogues, way, from_target);
	if (!connection)
		return -ENOMEM;
	if ((connection->asker == ASKER_LOW) == way->from_low)
		return open_request(connection, message);
	for (; answered < connection->open_cnt &&
	       connection->open[answered].recv_ns <= message->send_ns;
	     answered++) {
		add_call(&connection->open[answered], message, lines, calls);
		on_call(ctx, connection->open[answered].channel);
	}
	drop_oldest(connection, answered);
	return 1;
}

uint64_t dialogues__horizon(const struct dialogues *dialogues)
{
	uint64_t horizon_ns = UINT64_MAX;

	for (const struct connection *c = dialogues->connection; c; c = c->hh.next) {
		if (c->open_cnt && c->open[0].recv_ns < horizon_ns)
			horizon_ns = c->open[0].recv_ns;
	}
	return horizon_ns;
}
