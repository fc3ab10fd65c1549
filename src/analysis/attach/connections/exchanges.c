/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps connections and clock readings of each client until their message is here. */
#include "analysis/attach/connections/exchanges.h"

#include "container/deque.h"
#include "container/step_limit.h"

#include <errno.h>
#include <stdlib.h>

/*
 * Connections of a client that wait for their messages. A client has one, but records come in
 * batches, and forged recordings may have any number.
 */
#define WAITING_MAX 65536

/* A connection that waits for its message. */
struct made {
	struct opened opened;
	struct opened_parts parts;
};

/* The clock readings of a client that wait for their message. */
struct readings {
	uint64_t index; /* of the message */
	uint64_t begun_ns, closed_ns;
};

struct exchanging_client {
	struct made *made; /* in the order of accept() */
	struct deque made_of;
	struct readings *readings; /* in the order of messages */
	struct deque readings_of;
};

struct exchanges {
	struct threads *threads; /* knows none: the workload's threads have roles */
	struct naming naming;
	const struct roles *roles;
	struct connections *connections;
	uint32_t clients;
	struct exchanging_client *client; /* [clients + 1], by number */
	struct made last;                 /* of the last take() */
	bool has_last;
};

/* For connections__new(): the client that has made the connection waits for its message. */
static int exchanges_on_opened(void *ctx, const struct opened *opened,
			       const struct opened_parts *parts)
{
	struct exchanges *exchanges = ctx;
	uint32_t number = roles__client(exchanges->roles, opened->connect.head.tid);
	const struct record_process *process;
	struct exchanging_client *client;
	struct made *made;
	int err;

	if (!number || number > exchanges->clients)
		return 0;
	client = &exchanges->client[number];
	if (client->made_of.cnt == WAITING_MAX)
		return 0;
	err = deque_reserve(&client->made_of, &client->made, 1, sizeof(*client->made));
	if (err)
		return err;
	made = &client->made[client->made_of.cnt++];
	*made = (struct made){*opened, *parts};
	/* A thread without a PROCESS record is the first one of its process. */
	process = names__process(exchanges->naming.names, opened->accept.head.tid,
				 opened->accept.exit_ns);
	made->opened.server.pid = process ? process->pid : opened->accept.head.tid;
	return 0;
}

struct exchanges *exchanges__new(struct names *names, const struct roles *roles, uint32_t clients)
{
	struct exchanges *exchanges = calloc(1, sizeof(*exchanges));

	if (!exchanges)
		return NULL;
	exchanges->roles = roles;
	exchanges->clients = clients;
	exchanges->client = calloc(clients + 1, sizeof(*exchanges->client));
	exchanges->threads = threads__new();
	exchanges->naming = (struct naming){.threads = exchanges->threads, .names = names};
	exchanges->connections =
		connections__new(&exchanges->naming, exchanges_on_opened, exchanges);
	if (exchanges->client && exchanges->threads && exchanges->connections)
		return exchanges;
	exchanges__free(exchanges);
	return NULL;
}

void exchanges__free(struct exchanges *exchanges)
{
	if (!exchanges)
		return;
	for (uint32_t i = 0; exchanges->client && i <= exchanges->clients; i++) {
		struct exchanging_client *client = &exchanges->client[i];

		deque_free(&client->made_of, &client->made, sizeof(*client->made));
		deque_free(&client->readings_of, &client->readings, sizeof(*client->readings));
	}
	free(exchanges->client);
	threads__free(exchanges->threads);
	connections__free(exchanges->connections);
	free(exchanges);
}

void exchanges__hand_out(struct exchanges *exchanges, connections_unit_fn *fn, void *ctx)
{
	connections__hand_out(exchanges->connections, fn, ctx);
}

/* NULL: the pattern has no exchanges of this kind, or an older program has recorded them. */
static const struct record_stamp_exchange *exchange_of_stamp(const struct record_stamp *stamp)
{
	const struct record_stamp_exchange *exchange = (const void *)stamp;

	return stamp->head.words >= RECORD_WORDS(*exchange) ? exchange : NULL;
}

int exchanges__stamp(struct exchanges *exchanges, const struct record_stamp *stamp)
{
	const struct record_stamp_exchange *exchange = exchange_of_stamp(stamp);
	struct exchanging_client *client;
	int err;

	if (!exchange || stamp->to_server || !stamp->client || stamp->client > exchanges->clients)
		return 0;
	client = &exchanges->client[stamp->client];
	if (client->readings_of.cnt == WAITING_MAX)
		return 0;
	err = deque_reserve(&client->readings_of, &client->readings, 1, sizeof(*client->readings));
	if (!err)
		client->readings[client->readings_of.cnt++] =
			(struct readings){stamp->index, exchange->begun_ns, exchange->closed_ns};
	return err;
}

int exchanges__connect(struct exchanges *exchanges, const struct record_connect *connect)
{
	return connections__connect(exchanges->connections, connect);
}

int exchanges__accept(struct exchanges *exchanges, const struct record_accept *accept)
{
	return connections__accept(exchanges->connections, accept);
}

int exchanges__settle(struct exchanges *exchanges, uint64_t before_ns, bool shows_switch,
		      struct timelines *lines)
{
	return connections__settle(exchanges->connections, before_ns, shows_switch, lines);
}

uint64_t exchanges__horizon(const struct exchanges *exchanges)
{
	return connections__horizon(exchanges->connections);
}

/* Takes out the readings of this message, and forgets those before it. False: there are none. */
static bool take_readings(struct exchanging_client *client, uint64_t index,
			  struct readings *readings)
{
	size_t gone = 0, cnt = client->readings_of.cnt;
	bool is_found;

	while (gone < cnt && client->readings[gone].index < index && step_limit_spend(1))
		gone++;
	is_found = gone < cnt && client->readings[gone].index == index;
	if (is_found)
		*readings = client->readings[gone++];
	deque_drop(&client->readings_of, &client->readings, gone, sizeof(*client->readings));
	return is_found;
}

/*
 * Takes out the connection that was begun after `begun_ns` and accepted before `stamp_ns`, and
 * forgets those before it. False: there is none.
 */
static bool take_made(struct exchanging_client *client, uint64_t begun_ns, uint64_t stamp_ns,
		      struct made *made)
{
	size_t gone = 0, cnt = client->made_of.cnt;
	bool is_found;

	while (gone < cnt && client->made[gone].opened.connect.enter_ns < begun_ns &&
	       step_limit_spend(1))
		gone++;
	is_found = gone < cnt && client->made[gone].opened.accept.exit_ns <= stamp_ns;
	if (is_found)
		*made = client->made[gone++];
	deque_drop(&client->made_of, &client->made, gone, sizeof(*client->made));
	return is_found;
}

/* What the client's clock alone shows. */
static bool exchange_begin(const struct record_stamp *stamp, uint64_t begun_ns, uint64_t closed_ns,
			   struct connected_exchange *exchange)
{
	*exchange = (struct connected_exchange){0};
	if (!begun_ns || begun_ns > stamp->stamp_ns || stamp->stamp_ns > stamp->user_ns ||
	    stamp->user_ns > closed_ns)
		return false;
	exchange->latency_ns = closed_ns - begun_ns;
	exchange->part_ns[EXCHANGE_MESSAGE] = stamp->user_ns - stamp->stamp_ns;
	exchange->part_ns[EXCHANGE_CLOSE] = closed_ns - stamp->user_ns;
	return true;
}

/* `readings` and the stamp are in order, and the connection lies between them. */
static void exchange_cut(struct connected_exchange *exchange, const struct made *made,
			 const struct readings *readings, uint64_t stamp_ns)
{
	uint64_t *part_ns = exchange->part_ns;

	part_ns[EXCHANGE_SOCKET] = made->opened.connect.enter_ns - readings->begun_ns;
	for (int i = 0; i < NR_CONNECTION_PARTS; i++)
		part_ns[exchange_part_of(i)] = made->parts.part_ns[i];
	part_ns[EXCHANGE_SERVICE] = stamp_ns - made->opened.accept.exit_ns;
	exchange->is_cut = true;
}

bool exchanges__take(struct exchanges *exchanges, const struct record_stamp *stamp,
		     struct connected_exchange *exchange)
{
	struct exchanging_client *client;
	struct readings readings;

	exchanges->has_last = false;
	*exchange = (struct connected_exchange){0};
	if (stamp->to_server || !stamp->client || stamp->client > exchanges->clients)
		return false;
	client = &exchanges->client[stamp->client];
	if (!take_readings(client, stamp->index, &readings) ||
	    !exchange_begin(stamp, readings.begun_ns, readings.closed_ns, exchange))
		return false;
	exchanges->has_last =
		take_made(client, readings.begun_ns, stamp->stamp_ns, &exchanges->last);
	if (exchanges->has_last)
		exchange_cut(exchange, &exchanges->last, &readings, stamp->stamp_ns);
	return true;
}

bool exchange_untraced(const struct record_stamp *stamp, struct connected_exchange *exchange)
{
	const struct record_stamp_exchange *readings = exchange_of_stamp(stamp);

	return readings && !stamp->to_server &&
	       exchange_begin(stamp, readings->begun_ns, readings->closed_ns, exchange);
}

int exchanges__count(struct exchanges *exchanges, const struct opened **opened)
{
	*opened = exchanges->has_last ? &exchanges->last.opened : NULL;
	if (!exchanges->has_last)
		return 0;
	exchanges->has_last = false;
	return connections__count(exchanges->connections, &exchanges->last.opened,
				  &exchanges->last.parts);
}

int exchanges__finish(struct exchanges *exchanges, struct connections_summary *summary)
{
	int err = connections__finish(exchanges->connections, summary);

	/* Those of the warm-up do not count, and those that failed are known. */
	summary->calls = summary->latency.count + summary->failed;
	return err;
}
