/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the calls (requests with their answers) of each connection. The addresses of a connection
 * usually show which end is the client. If the addresses do not show the client, guess_client()
 * decides from the first traced message.
 */
#include "analysis/attach/call_matcher.h"

#include "analysis/container/array.h"
#include "analysis/container/step_limit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include <utlist.h>

/* Room for open requests that a connection keeps when it has none. */
#define ROOM_KEPT      64

#define PORT_EPHEMERAL 32768

/* A request or an answer. */
struct half_call {
	uint32_t channel;
	uint32_t server_tid;
	uint64_t send_ns;
	uint64_t recv_ns;
	bool is_ambiguous;
	bool hides_calls;
};

enum client_end { CLIENT_UNKNOWN, CLIENT_LOW, CLIENT_HIGH };

/* How the client end was found. */
enum basis {
	BASIS_GUESS,   /* it sent first, or is no target */
	BASIS_STARTED, /* it sent the very first message of the connection */
	BASIS_NAME,    /* the other end has a name */
};

struct connection {
	struct connection_ends ends;
	enum client_end client;
	enum basis basis;
	uint64_t answer_ns;       /* when the last answer was sent */
	struct half_call unasked; /* the first since the last call; `send_ns` 0: none */
	uint32_t direction[2];    /* channel + 1, from `low` first; 0: no message yet */
	struct half_call *open;   /* [answered, open_end) */
	size_t answered, open_end, open_room;
	struct connection *prev_open, *next_open; /* NULL: no request is open */
	UT_hash_handle hh;
};

struct call_matcher {
	struct connection *connection; /* hash by ends, quiet ones first */
	struct connection *open;       /* list of those with open requests */
	size_t open_cnt;               /* requests of all connections */
};

struct call_matcher *call_matcher__new(void)
{
	return calloc(1, sizeof(struct call_matcher));
}

static size_t open_cnt(const struct connection *connection)
{
	return connection->open_end - connection->answered;
}

static void leave_open(struct call_matcher *matcher, struct connection *connection)
{
	if (!connection->prev_open)
		return;
	DL_DELETE2(matcher->open, connection, prev_open, next_open);
	connection->prev_open = connection->next_open = NULL;
}

static void remove_connection(struct call_matcher *matcher, struct connection *connection)
{
	matcher->open_cnt -= open_cnt(connection);
	leave_open(matcher, connection);
	HASH_DEL(matcher->connection, connection);
	free(connection->open);
	free(connection);
}

void call_matcher__free(struct call_matcher *matcher)
{
	while (matcher && matcher->connection)
		remove_connection(matcher, matcher->connection);
	free(matcher);
}

void call_direction_channel(struct call_direction *direction, const struct record_channel *channel)
{
	direction->is_unix = channel->transport == TRANSPORT_UDS ||
			     channel->transport == TRANSPORT_UDS_STREAM ||
			     channel->transport == TRANSPORT_UDS_SEQPACKET;
	/* The record with the sender comes later, and may overtake the one without. */
	if (!channel->sender && direction->ends.low)
		return;
	direction->from_low = channel->sender < channel->receiver;
	direction->ends.low = direction->from_low ? channel->sender : channel->receiver;
	direction->ends.high = direction->from_low ? channel->receiver : channel->sender;
}

/*
 * A server has a name that clients know: a path, a listening port, or at least a port below those
 * that the kernel picks for a client.
 */
void call_direction_address(struct call_direction *direction, const struct record_address *address)
{
	uint32_t named = address->named & ADDRESS_OF_BOTH;
	bool sender_serves =
		named == ADDRESS_OF_SENDER || (!named && address->sender_port < PORT_EPHEMERAL);
	bool receiver_serves =
		named == ADDRESS_OF_RECEIVER || (!named && address->receiver_port < PORT_EPHEMERAL);

	if (sender_serves != receiver_serves)
		direction->server = receiver_serves ? SERVER_RECEIVES : SERVER_SENDS;
	direction->is_unnamed = !named && !address->sender_port && !address->receiver_port;
}

void call_direction_baseline(struct call_direction *direction,
			     const struct record_baseline *baseline)
{
	direction->is_new |= baseline->is_new;
}

static void drop_oldest(struct call_matcher *matcher, struct connection *connection, size_t cnt)
{
	matcher->open_cnt -= cnt;
	connection->answered += cnt;
	if (open_cnt(connection))
		return;
	leave_open(matcher, connection);
	connection->answered = connection->open_end = 0;
	if (connection->open_room > ROOM_KEPT) {
		free(connection->open);
		connection->open = NULL;
		connection->open_room = 0;
	}
}

static void drop_open(struct call_matcher *matcher, struct connection *connection)
{
	if (open_cnt(connection))
		drop_oldest(matcher, connection, open_cnt(connection));
}

/* The server must be known. */
static enum client_end client_of(const struct call_direction *direction)
{
	return (direction->server == SERVER_RECEIVES) == direction->from_low ? CLIENT_LOW
									     : CLIENT_HIGH;
}

static void learn_client(struct call_matcher *matcher, struct connection *connection,
			 enum client_end client)
{
	if (connection->client != client)
		drop_open(matcher, connection);
	connection->client = client;
	connection->basis = BASIS_NAME;
}

/*
 * At the first message that was traced. If it is the very first of the connection, its sender is
 * the client. Two unnamed sockets show nothing else. On other connections the sender is taken for
 * the client too, unless it is a target that sends to a thread that is none.
 */
static void guess_client(struct connection *connection, const struct call_direction *direction,
			 bool from_target)
{
	/* On other transports `is_new` only says that positions are known. */
	if (direction->is_unix && direction->is_new) {
		connection->client = direction->from_low ? CLIENT_LOW : CLIENT_HIGH;
		connection->basis = BASIS_STARTED;
	} else if (!direction->is_unnamed) {
		connection->client = direction->from_low != from_target ? CLIENT_LOW : CLIENT_HIGH;
	}
}

static struct connection *find_or_make(struct call_matcher *matcher,
				       const struct call_direction *direction, bool from_target)
{
	struct connection *connection;

	HASH_FIND(hh, matcher->connection, &direction->ends, sizeof(direction->ends), connection);
	if (connection && !connection->hh.next)
		return connection;
	if (connection) {
		HASH_DEL(matcher->connection, connection);
	} else {
		if (HASH_COUNT(matcher->connection) >= CALL_MATCHER_CONNECTIONS_MAX)
			remove_connection(matcher, matcher->connection);
		connection = calloc(1, sizeof(*connection));
		if (!connection)
			return NULL;
		connection->ends = direction->ends;
		guess_client(connection, direction, from_target);
	}
	HASH_ADD(hh, matcher->connection, ends, sizeof(connection->ends), connection);
	return connection;
}

/* The same addresses and ports under a new channel are a new connection, without open requests. */
static void note_direction(struct call_matcher *matcher, struct connection *connection,
			   const struct call_direction *direction, uint32_t channel)
{
	uint32_t *known = &connection->direction[!direction->from_low];

	if (*known && *known != channel + 1) {
		drop_open(matcher, connection);
		connection->direction[direction->from_low] = 0; /* no message of the new one yet */
		connection->unasked.send_ns = 0;
	}
	*known = channel + 1;
}

static struct connection *connection_of(struct call_matcher *matcher,
					const struct call_direction *direction, uint32_t channel,
					bool from_target)
{
	struct connection *connection = find_or_make(matcher, direction, from_target);

	if (!connection)
		return NULL;
	note_direction(matcher, connection, direction, channel);
	if (connection->basis != BASIS_NAME && direction->server)
		learn_client(matcher, connection, client_of(direction));
	return connection;
}

/*
 * Makes room for one more request. Entries are only moved when at least as many are gone as are
 * left. 0 or -ENOMEM.
 */
static int reserve(struct connection *connection)
{
	size_t cnt = open_cnt(connection);

	if (connection->open_end < connection->open_room)
		return 0;
	if (cnt && connection->answered >= cnt) {
		memmove(connection->open, connection->open + connection->answered,
			cnt * sizeof(*connection->open));
		connection->answered = 0;
		connection->open_end = cnt;
		return 0;
	}
	return array_grow(&connection->open, connection->open_end, &connection->open_room,
			  sizeof(*connection->open));
}

static int open_request(struct call_matcher *matcher, struct connection *connection,
			const struct half_call *request)
{
	if (open_cnt(connection) == CALL_MATCHER_OPEN_MAX)
		drop_oldest(matcher, connection, 1);
	while (matcher->open_cnt >= CALL_MATCHER_ALL_OPEN_MAX && matcher->connection != connection)
		remove_connection(matcher, matcher->connection);
	if (reserve(connection))
		return -ENOMEM;
	matcher->open_cnt++;
	if (!connection->prev_open)
		DL_APPEND2(matcher->open, connection, prev_open, next_open);
	connection->open[connection->open_end++] = *request;
	return 0;
}

/* Where completed calls go. */
struct outcome {
	struct timelines *lines;
	struct service_blame *blame;
	struct calls_summary *calls;
	call_matcher_fn *on_call;
	void *ctx;
	int error; /* the first one */
};

/*
 * The service is cut by the states of the thread that received the request, if the same thread
 * answers; when another thread answers, no event shows what either does for this call. Without
 * traced syscalls the service ends when the answer is queued, which on TCP a softirq may do after
 * the sender has left its CPU.
 */
static int cut_service(const struct half_call *request, const struct half_call *answer,
		       const struct outcome *outcome)
{
	struct service service;
	struct timeline line;

	if (request->server_tid != answer->server_tid) {
		outcome->calls->handed_over++;
		return 0;
	}
	line = timelines__of(outcome->lines, request->server_tid);
	if (!service_cut(&line, request->recv_ns, answer->send_ns, answer->hides_calls, &service))
		return 0;
	service_add(&service, outcome->calls);
	return service_blame__add(outcome->blame, request->server_tid, &service);
}

static void add_call(const struct connection *connection, const struct half_call *request,
		     const struct half_call *answer, struct outcome *outcome)
{
	struct calls_summary *calls = outcome->calls;
	int err;

	calls->count++;
	calls->guessed += connection->basis == BASIS_GUESS;
	calls->ambiguous += request->is_ambiguous || answer->is_ambiguous;
	stat_add(&calls->round_trip, answer->recv_ns - request->send_ns);
	stat_add(&calls->request, request->recv_ns - request->send_ns);
	stat_add(&calls->service, answer->send_ns - request->recv_ns);
	stat_add(&calls->response, answer->recv_ns - answer->send_ns);
	err = cut_service(request, answer, outcome);
	if (!outcome->error)
		outcome->error = err;
	outcome->on_call(outcome->ctx, request->channel);
}

static struct half_call half_call_of(const struct message *message, const struct party *server)
{
	return (struct half_call){
		.channel = message->channel,
		.server_tid = server->tid,
		.send_ns = message->send_ns,
		.recv_ns = message->recv_ns,
		.is_ambiguous = message->match == MATCH_AMBIGUOUS,
		.hides_calls = message->hides_calls,
	};
}

/* Returns how many requests the message answers. */
static size_t add_answer(struct call_matcher *matcher, struct connection *connection,
			 const struct message *message, struct outcome *outcome)
{
	const struct half_call answer = half_call_of(message, &message->sender);
	size_t cnt = open_cnt(connection), answered;

	connection->answer_ns = answer.send_ns;
	for (answered = 0; answered < cnt; answered++) {
		const struct half_call *open = &connection->open[connection->answered + answered];

		if (open->recv_ns > answer.send_ns)
			break;
		add_call(connection, open, &answer, outcome);
	}
	if (answered) {
		drop_oldest(matcher, connection, answered);
		connection->unasked.send_ns = 0;
		return answered;
	}
	outcome->calls->unasked++;
	if (!connection->unasked.send_ns)
		connection->unasked = answer;
	return 0;
}

/*
 * A request may come after its answer if its records were delayed. It then gets the first answer
 * that found no request.
 */
static int add_request(struct call_matcher *matcher, struct connection *connection,
		       const struct message *message, struct outcome *outcome)
{
	const struct half_call request = half_call_of(message, &message->receiver);

	if (request.recv_ns > connection->answer_ns)
		return open_request(matcher, connection, &request);
	if (request.recv_ns > connection->unasked.send_ns)
		return 0; /* its answer also answered others, or is unknown */
	add_call(connection, &request, &connection->unasked, outcome);
	outcome->calls->unasked--;
	connection->unasked.send_ns = 0;
	return 0;
}

int call_matcher__message(struct call_matcher *matcher, const struct call_direction *direction,
			  const struct message *message, bool from_target, struct timelines *lines,
			  struct service_blame *blame, struct calls_summary *calls,
			  call_matcher_fn *on_call, void *ctx)
{
	struct outcome outcome = {lines, blame, calls, on_call, ctx, 0};
	struct connection *connection;
	int answers;

	if (!direction->ends.low)
		return 0;
	connection = connection_of(matcher, direction, message->channel, from_target);
	if (!connection)
		return -ENOMEM;
	/* As long as the client is unknown, each end may be answering the other's message. */
	if (!connection->client)
		return connection->direction[direction->from_low] != 0;
	if ((connection->client == CLIENT_LOW) == direction->from_low)
		return add_request(matcher, connection, message, &outcome) ?: outcome.error;
	answers = add_answer(matcher, connection, message, &outcome) > 0;
	return outcome.error ?: answers;
}

uint64_t call_matcher__horizon(const struct call_matcher *matcher)
{
	uint64_t horizon_ns = UINT64_MAX;
	const struct connection *c;

	DL_FOREACH2 (matcher->open, c, next_open) {
		if (!step_limit_spend(STEPS_OF_CONNECTION))
			break;
		if (c->open[c->answered].recv_ns < horizon_ns)
			horizon_ns = c->open[c->answered].recv_ns;
	}
	return horizon_ns;
}
