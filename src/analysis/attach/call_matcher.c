/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/attach/call_matcher.h"

#include "analysis/container/array.h"
#include "analysis/container/id_cache.h"
#include "analysis/statistics/calls.h"
#include "analysis/work.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

/* Room for open requests that a connection keeps when it has none. */
#define ROOM_KEPT      64

#define PORT_EPHEMERAL 32768

struct request {
	uint32_t channel;
	uint32_t server_tid;
	uint64_t send_ns;
	uint64_t recv_ns;
	bool is_ambiguous;
};

struct answer {
	uint32_t server_tid;
	uint64_t send_ns;
	uint64_t recv_ns;
	bool is_ambiguous;
	bool hides_calls;
};

/* Both ends of a connection, the lesser first. */
struct ends {
	uint64_t low;
	uint64_t high;
};

enum asker { ASKER_UNKNOWN, ASKER_LOW, ASKER_HIGH };

/* What shows who asks. */
enum basis {
	BASIS_GUESS, /* he came first, or is no target */
	BASIS_BEGUN, /* he began */
	BASIS_NAME,  /* the other one has a name */
};

struct connection {
	struct ends ends;
	enum asker asker; /* whose messages are requests */
	enum basis basis;
	uint64_t answer_ns;    /* the youngest answer was sent */
	struct answer unasked; /* the first since the youngest call; `send_ns` 0: none */
	uint32_t way[2];       /* id + 1, that from `low` first; 0: nothing came that way yet */
	struct request *open;  /* [answered, open_end) */
	size_t answered, open_end, open_room;
	struct connection *prev_open, *next_open; /* NULL: no request is open */
	UT_hash_handle hh;
};

/* The end that has a name. */
enum server { SERVER_UNKNOWN, SERVER_SENDS, SERVER_RECEIVES };

/* One way of a connection. Its ADDRESS may come before its CHANNEL, which names the ends. */
struct way {
	uint32_t id;
	struct ends ends;
	bool from_low;
	enum server server; /* as far as its address tells */
	bool is_unnamed;    /* and so is its other end */
	bool is_unix;
	bool is_new; /* all that came this way has been seen */
	UT_hash_handle hh;
};

struct call_matcher {
	struct connection *connection; /* hash by ends, quiet ones first */
	struct connection *open;       /* list of those with open requests */
	struct way *way;               /* hash by id, oldest first */
	ID_CACHE(struct way);
	size_t open_cnt; /* of all connections */
};

struct call_matcher *call_matcher__new(void)
{
	return calloc(1, sizeof(struct call_matcher));
}

static size_t open_cnt(const struct connection *connection)
{
	return connection->open_end - connection->answered;
}

static void leave_open(struct call_matcher *dialogues, struct connection *connection)
{
	if (!connection->prev_open)
		return;
	DL_DELETE2(dialogues->open, connection, prev_open, next_open);
	connection->prev_open = connection->next_open = NULL;
}

static void remove_connection(struct call_matcher *dialogues, struct connection *connection)
{
	dialogues->open_cnt -= open_cnt(connection);
	leave_open(dialogues, connection);
	HASH_DEL(dialogues->connection, connection);
	free(connection->open);
	free(connection);
}

static void remove_way(struct call_matcher *dialogues, struct way *way)
{
	ID_DELETE(dialogues, dialogues->way, way);
	free(way);
}

void call_matcher__free(struct call_matcher *dialogues)
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

static struct way *find_way(const struct call_matcher *dialogues, uint32_t id)
{
	struct way *way;

	ID_FIND(dialogues, dialogues->way, id, way);
	return way;
}

static struct way *find_or_make_way(struct call_matcher *dialogues, uint32_t id)
{
	struct way *way = find_way(dialogues, id);

	if (way)
		return way;
	if (HASH_COUNT(dialogues->way) >= 2 * CALL_MATCHER_CONNECTIONS_MAX)
		remove_way(dialogues, dialogues->way);
	way = calloc(1, sizeof(*way));
	if (!way)
		return NULL;
	way->id = id;
	HASH_ADD(hh, dialogues->way, id, sizeof(way->id), way);
	return way;
}

int call_matcher__channel(struct call_matcher *dialogues, const struct record_channel *channel)
{
	struct way *way = find_or_make_way(dialogues, channel->channel);

	if (!way)
		return -ENOMEM;
	way->is_unix = channel->transport == TRANSPORT_UDS ||
		       channel->transport == TRANSPORT_UDS_STREAM ||
		       channel->transport == TRANSPORT_UDS_SEQPACKET;
	/* Told again when the sender is known, and maybe of that first. */
	if (!channel->sender && way->ends.low)
		return 0;
	way->from_low = channel->sender < channel->receiver;
	way->ends.low = way->from_low ? channel->sender : channel->receiver;
	way->ends.high = way->from_low ? channel->receiver : channel->sender;
	return 0;
}

/*
 * A server has a name that others know: a path, a port that it listens on, or else one below those
 * that the kernel gives to who does not choose.
 */
int call_matcher__address(struct call_matcher *dialogues, const struct record_address *address)
{
	struct way *way = find_or_make_way(dialogues, address->channel);
	uint32_t named = address->named & ADDRESS_OF_BOTH;
	bool sender_serves =
		named == ADDRESS_OF_SENDER || (!named && address->sender_port < PORT_EPHEMERAL);
	bool receiver_serves =
		named == ADDRESS_OF_RECEIVER || (!named && address->receiver_port < PORT_EPHEMERAL);

	if (!way)
		return -ENOMEM;
	if (sender_serves != receiver_serves)
		way->server = receiver_serves ? SERVER_RECEIVES : SERVER_SENDS;
	way->is_unnamed = !named && !address->sender_port && !address->receiver_port;
	return 0;
}

int call_matcher__start(struct call_matcher *dialogues, const struct record_baseline *start)
{
	struct way *way = find_or_make_way(dialogues, start->channel);

	if (!way)
		return -ENOMEM;
	way->is_new |= start->is_new;
	return 0;
}

static void drop_oldest(struct call_matcher *dialogues, struct connection *connection, size_t cnt)
{
	dialogues->open_cnt -= cnt;
	connection->answered += cnt;
	if (open_cnt(connection))
		return;
	leave_open(dialogues, connection);
	connection->answered = connection->open_end = 0;
	if (connection->open_room > ROOM_KEPT) {
		free(connection->open);
		connection->open = NULL;
		connection->open_room = 0;
	}
}

static void drop_open(struct call_matcher *dialogues, struct connection *connection)
{
	if (open_cnt(connection))
		drop_oldest(dialogues, connection, open_cnt(connection));
}

/* The server of the way must be known. */
static enum asker asker_of(const struct way *way)
{
	return (way->server == SERVER_RECEIVES) == way->from_low ? ASKER_LOW : ASKER_HIGH;
}

static void learn_asker(struct call_matcher *dialogues, struct connection *connection,
			enum asker asker)
{
	if (connection->asker != asker)
		drop_open(dialogues, connection);
	connection->asker = asker;
	connection->basis = BASIS_NAME;
}

/*
 * Who sends its first message that was seen. If it is the very first, he asks. Of two sockets
 * without a name nothing shows who serves. All others: whoever is not known to be asked begins, or
 * is no target.
 */
static void guess_asker(struct connection *connection, const struct way *way, bool from_target)
{
	/* Of other transports, it is positions that are known from the start. */
	if (way->is_unix && way->is_new) {
		connection->asker = way->from_low ? ASKER_LOW : ASKER_HIGH;
		connection->basis = BASIS_BEGUN;
	} else if (!way->is_unnamed) {
		connection->asker = way->from_low != from_target ? ASKER_LOW : ASKER_HIGH;
	}
}

static struct connection *find_or_make(struct call_matcher *dialogues, const struct way *way,
				       bool from_target)
{
	struct connection *connection;

	HASH_FIND(hh, dialogues->connection, &way->ends, sizeof(way->ends), connection);
	if (connection && !connection->hh.next)
		return connection;
	if (connection) {
		HASH_DEL(dialogues->connection, connection);
	} else {
		if (HASH_COUNT(dialogues->connection) >= CALL_MATCHER_CONNECTIONS_MAX)
			remove_connection(dialogues, dialogues->connection);
		connection = calloc(1, sizeof(*connection));
		if (!connection)
			return NULL;
		connection->ends = way->ends;
		guess_asker(connection, way, from_target);
	}
	HASH_ADD(hh, dialogues->connection, ends, sizeof(connection->ends), connection);
	return connection;
}

/* The same addresses and ports again are another connection: it does not answer for the old one. */
static void note_way(struct call_matcher *dialogues, struct connection *connection,
		     const struct way *way)
{
	uint32_t *known = &connection->way[!way->from_low];

	if (*known && *known != way->id + 1) {
		drop_open(dialogues, connection);
		connection->way[way->from_low] = 0; /* the new one's is still to come */
		connection->unasked.send_ns = 0;
	}
	*known = way->id + 1;
}

static struct connection *connection_of(struct call_matcher *dialogues, const struct way *way,
					bool from_target)
{
	struct connection *connection = find_or_make(dialogues, way, from_target);

	if (!connection)
		return NULL;
	note_way(dialogues, connection, way);
	if (connection->basis != BASIS_NAME && way->server)
		learn_asker(dialogues, connection, asker_of(way));
	return connection;
}

/* Room for one more: moves only when at least as many have gone as are left. 0 or -ENOMEM. */
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

static int open_request(struct call_matcher *dialogues, struct connection *connection,
			const struct request *request)
{
	if (open_cnt(connection) == CALL_MATCHER_OPEN_MAX)
		drop_oldest(dialogues, connection, 1);
	while (dialogues->open_cnt >= CALL_MATCHER_ALL_OPEN_MAX &&
	       dialogues->connection != connection)
		remove_connection(dialogues, dialogues->connection);
	if (reserve(connection))
		return -ENOMEM;
	dialogues->open_cnt++;
	if (!connection->prev_open)
		DL_APPEND2(dialogues->open, connection, prev_open, next_open);
	connection->open[connection->open_end++] = *request;
	return 0;
}

/*
 * Its states are those of the thread that took the request, if that answers. Where no call is seen
 * the service ends when the answer is queued: over TCP, a softirq may do that after the sender has
 * left its CPU. When one thread hands a request to another, which may do its part at the same time,
 * no event tells.
 */
static void cut_service(const struct request *request, const struct answer *answer,
			struct timelines *lines, struct calls_summary *calls)
{
	struct service service;
	struct timeline line;

	if (request->server_tid != answer->server_tid) {
		calls->handed_over++;
		return;
	}
	line = timelines__of(lines, request->server_tid);
	if (service_cut(&line, request->recv_ns, answer->send_ns, answer->hides_calls, &service))
		service_add(&service, calls);
}

/* What the calls of a message go into. */
struct outcome {
	struct timelines *lines;
	struct calls_summary *calls;
	call_matcher_fn *on_call;
	void *ctx;
};

static void add_call(const struct connection *connection, const struct request *request,
		     const struct answer *answer, const struct outcome *outcome)
{
	struct calls_summary *calls = outcome->calls;

	calls->count++;
	calls->guessed += connection->basis == BASIS_GUESS;
	calls->ambiguous += request->is_ambiguous || answer->is_ambiguous;
	stat_add(&calls->round_trip, answer->recv_ns - request->send_ns);
	stat_add(&calls->request, request->recv_ns - request->send_ns);
	stat_add(&calls->service, answer->send_ns - request->recv_ns);
	stat_add(&calls->response, answer->recv_ns - answer->send_ns);
	cut_service(request, answer, outcome->lines, calls);
	outcome->on_call(outcome->ctx, request->channel);
}

/* How many requests it answers. */
static size_t take_answer(struct call_matcher *dialogues, struct connection *connection,
			  const struct message *message, const struct outcome *outcome)
{
	const struct answer answer = {
		.server_tid = message->sender.tid,
		.send_ns = message->send_ns,
		.recv_ns = message->recv_ns,
		.is_ambiguous = message->match == MATCH_AMBIGUOUS,
		.hides_calls = message->hides_calls,
	};
	size_t cnt = open_cnt(connection), answered;

	connection->answer_ns = answer.send_ns;
	for (answered = 0; answered < cnt; answered++) {
		const struct request *open = &connection->open[connection->answered + answered];

		if (open->recv_ns > answer.send_ns)
			break;
		add_call(connection, open, &answer, outcome);
	}
	if (answered) {
		drop_oldest(dialogues, connection, answered);
		connection->unasked.send_ns = 0;
		return answered;
	}
	outcome->calls->unasked++;
	if (!connection->unasked.send_ns)
		connection->unasked = answer;
	return 0;
}

/*
 * A request may come after its answer, if its records were held up. It then gets the first answer
 * that no request was there for.
 */
static int take_request(struct call_matcher *dialogues, struct connection *connection,
			const struct message *message, const struct outcome *outcome)
{
	const struct request request = {
		.channel = message->channel,
		.server_tid = message->receiver.tid,
		.send_ns = message->send_ns,
		.recv_ns = message->recv_ns,
		.is_ambiguous = message->match == MATCH_AMBIGUOUS,
	};

	if (request.recv_ns > connection->answer_ns)
		return open_request(dialogues, connection, &request);
	if (request.recv_ns > connection->unasked.send_ns)
		return 0; /* its answer is that of other requests, or is not known */
	add_call(connection, &request, &connection->unasked, outcome);
	outcome->calls->unasked--;
	connection->unasked.send_ns = 0;
	return 0;
}

int call_matcher__message(struct call_matcher *dialogues, const struct message *message,
			  bool from_target, struct timelines *lines, struct calls_summary *calls,
			  call_matcher_fn *on_call, void *ctx)
{
	const struct outcome outcome = {lines, calls, on_call, ctx};
	struct way *way = find_way(dialogues, message->channel);
	struct connection *connection;

	/* A channel whose other way is not known, or that has none. */
	if (!way || !way->ends.low)
		return 0;
	ID_NOTE(dialogues, way);
	connection = connection_of(dialogues, way, from_target);
	if (!connection)
		return -ENOMEM;
	/* What either says may be an answer once the other one has spoken. */
	if (!connection->asker)
		return connection->way[way->from_low] != 0;
	if ((connection->asker == ASKER_LOW) == way->from_low)
		return take_request(dialogues, connection, message, &outcome);
	return take_answer(dialogues, connection, message, &outcome) > 0;
}

uint64_t call_matcher__horizon(const struct call_matcher *dialogues)
{
	uint64_t horizon_ns = UINT64_MAX;
	const struct connection *c;

	DL_FOREACH2(dialogues->open, c, next_open)
	{
		if (!work_spend(STEPS_OF_CONNECTION))
			break;
		if (c->open[c->answered].recv_ns < horizon_ns)
			horizon_ns = c->open[c->answered].recv_ns;
	}
	return horizon_ns;
}
