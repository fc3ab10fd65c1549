/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The addresses of a connection usually show which end is the client. If they do not, the first
 * message that was traced decides: see guess_client().
 */
#include "analysis/attach/calls/call_matcher.h"

#include "analysis/attach/calls/call_matcher_state.h"
#include "analysis/attach/calls/made_calls.h"
#include "analysis/attach/calls/service_path.h"
#include "container/step_limit.h"
#include "model/record_decode.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

struct call_matcher *call_matcher__new(const struct call_output *output)
{
	struct call_matcher *matcher = calloc(1, sizeof(*matcher));

	if (!matcher)
		return NULL;
	matcher->output = *output;
	matcher->output.made = made_calls__new();
	matcher->received = last_receives__new();
	if (matcher->output.made && matcher->received)
		return matcher;
	call_matcher__free(matcher);
	return NULL;
}

/* Notes how many requests of the connection are kept, of which there were `before`. */
static void count_open(struct call_matcher *matcher, struct connection *connection, size_t before)
{
	bool keeps_history = exchange_keeps_history(&connection->exchange, &matcher->output);

	matcher->open_cnt += exchange_kept(&connection->exchange) - before;
	if (keeps_history && !connection->prev_open) {
		DL_APPEND2(matcher->open, connection, prev_open, next_open);
	} else if (!keeps_history && connection->prev_open) {
		DL_DELETE2(matcher->open, connection, prev_open, next_open);
		connection->prev_open = connection->next_open = NULL;
	}
}

static void drop_open(struct call_matcher *matcher, struct connection *connection)
{
	size_t before = exchange_kept(&connection->exchange);

	exchange_clear(&connection->exchange);
	count_open(matcher, connection, before);
}

/* Its last call is complete. What follows is another connection. */
static int end_connection(struct call_matcher *matcher, struct connection *connection)
{
	size_t before = exchange_kept(&connection->exchange);
	int err = exchange_finish(&connection->exchange, &matcher->output);

	exchange_free(&connection->exchange);
	connection->exchange = (struct exchange){0};
	count_open(matcher, connection, before);
	return err;
}

static int remove_connection(struct call_matcher *matcher, struct connection *connection)
{
	int err = end_connection(matcher, connection);

	HASH_DEL(matcher->connection, connection);
	free(connection);
	return err;
}

int call_matcher__finish(struct call_matcher *matcher)
{
	struct connection *connection, *next;
	int err = 0;

	HASH_ITER (hh, matcher->connection, connection, next)
		err = remove_connection(matcher, connection) ?: err;
	return err;
}

void call_matcher__free(struct call_matcher *matcher)
{
	struct connection *connection, *next;

	if (!matcher)
		return;
	HASH_ITER (hh, matcher->connection, connection, next) {
		HASH_DEL(matcher->connection, connection);
		exchange_free(&connection->exchange);
		free(connection);
	}
	last_receives__free(matcher->received);
	made_calls__free(matcher->output.made);
	free(matcher);
}

static bool knows(const struct call_matcher *matcher, const struct call_direction *direction)
{
	struct connection *connection;

	HASH_FIND(hh, matcher->connection, &direction->ends, sizeof(direction->ends), connection);
	return connection;
}

void call_matcher__set_processes(const struct call_matcher *matcher,
				 struct call_direction *direction, const struct message_ends *ends,
				 uint32_t transport, uint32_t sender_pid, uint32_t receiver_pid)
{
	struct call_direction request = *direction, answer = *direction;
	bool answers = ends->target == SERVER_SENDS && !ends->was_idle;

	if (!transport_is_udp(transport) || direction->server) {
		call_direction_processes(direction, transport, sender_pid, receiver_pid);
		return;
	}
	request.server = SERVER_RECEIVES;
	call_direction_udp(&request, sender_pid, receiver_pid);
	answer.server = SERVER_SENDS;
	call_direction_udp(&answer, sender_pid, receiver_pid);
	if (ends->asked)
		answers = ends->asked == SERVER_SENDS;
	else if (knows(matcher, &request))
		answers = false;
	else if (knows(matcher, &answer))
		answers = true;
	*direction = answers ? answer : request;
	direction->server = SERVER_UNKNOWN;
}

/* The server must be known. */
static enum client_end call_matcher_client_of(const struct call_direction *direction,
					      enum server_end server)
{
	return (server == SERVER_RECEIVES) == direction->from_low ? CLIENT_LOW : CLIENT_HIGH;
}

static void learn_client(struct call_matcher *matcher, struct connection *connection,
			 enum client_end client, enum basis basis)
{
	if (connection->client != client)
		drop_open(matcher, connection); /* they are not requests */
	connection->client = client;
	connection->basis = basis;
}

/*
 * At the first message that was traced. If it is the very first of the connection, its sender is
 * the client. On other connections the only target serves; if there is none, the sender is taken
 * for the client.
 */
static void guess_client(struct connection *connection, const struct call_direction *direction,
			 const struct message_ends *ends)
{
	bool sender_calls = ends->target != SERVER_SENDS;
	/*
	 * On other transports `is_new` only says that positions are known. A server on UDP that
	 * asks others, as for names, does so from a new port each time.
	 */
	bool is_first =
		(direction->is_unix && direction->is_new) || (direction->is_udp && ends->was_idle);

	if (is_first) {
		connection->basis = BASIS_STARTED;
		sender_calls = true;
	} else if (ends->target) {
		connection->basis = BASIS_TARGET;
	}
	connection->client = direction->from_low == sender_calls ? CLIENT_LOW : CLIENT_HIGH;
}

static struct connection *call_matcher_find_or_make(struct call_matcher *matcher,
						    const struct call_direction *direction,
						    const struct message_ends *ends)
{
	struct connection *connection;

	HASH_FIND(hh, matcher->connection, &direction->ends, sizeof(direction->ends), connection);
	if (connection && !connection->hh.next)
		return connection;
	if (connection) {
		HASH_DEL(matcher->connection, connection);
	} else {
		if (HASH_COUNT(matcher->connection) >= CALL_MATCHER_CONNECTIONS_MAX &&
		    remove_connection(matcher, matcher->connection))
			return NULL;
		connection = calloc(1, sizeof(*connection));
		if (!connection)
			return NULL;
		connection->ends = direction->ends;
		guess_client(connection, direction, ends);
	}
	HASH_ADD(hh, matcher->connection, ends, sizeof(connection->ends), connection);
	return connection;
}

/* The same addresses and ports under a new channel are a new connection, without open requests. */
static int note_direction(struct call_matcher *matcher, struct connection *connection,
			  const struct call_direction *direction, uint32_t channel)
{
	uint32_t *known = &connection->direction[!direction->from_low];
	int err = 0;

	if (*known && *known != channel + 1 && !direction->is_pipe) {
		err = end_connection(matcher, connection);
		connection->direction[direction->from_low] = 0; /* no message of the new one yet */
	}
	if (!*known || !direction->is_pipe)
		*known = channel + 1;
	return err;
}

/* NULL: out of memory, or `*err` is what on_call() returned. */
static struct connection *connection_of(struct call_matcher *matcher,
					const struct call_direction *direction, uint32_t channel,
					const struct message_ends *ends, int *err)
{
	struct connection *connection = call_matcher_find_or_make(matcher, direction, ends);

	*err = connection ? note_direction(matcher, connection, direction, channel) : -ENOMEM;
	if (*err)
		return NULL;
	if (ends->asked)
		learn_client(matcher, connection, call_matcher_client_of(direction, ends->asked),
			     BASIS_ASKED);
	else if (connection->basis < BASIS_NAME && direction->server)
		learn_client(matcher, connection,
			     call_matcher_client_of(direction, direction->server), BASIS_NAME);
	return connection;
}

static struct call_message message_of(const struct connection *connection,
				      const struct message *message, bool is_request)
{
	struct call_message part = {
		.channel = message->channel,
		.transport = message->transport,
		.position = message->position,
		.bytes = message->bytes,
		.client = is_request ? message->sender : message->receiver,
		.server = is_request ? message->receiver : message->sender,
		.sent_ns = message->send_ns,
		.recv_ns = message->recv_ns,
		.is_guessed = connection->basis == BASIS_GUESS || connection->basis == BASIS_FIRST,
		.is_ambiguous = message->match == MATCH_AMBIGUOUS,
		.hides_calls = message->hides_calls,
	};

	memcpy(part.component_ns, message->component_ns, sizeof(part.component_ns));
	part.component_ns[COMPONENT_DISPATCH] = 0; /* in a round, it lies before the send */
	return part;
}

/*
 * Whether the client has waited for anything but room, or received something else, since it sent
 * the youngest open request: then this one is not a further part of it.
 */
static bool client_has_waited(const struct call_matcher *matcher,
			      const struct connection *connection,
			      const struct call_message *request)
{
	const struct call_message *before = exchange_youngest(&connection->exchange);
	struct timeline line;

	if (!before)
		return false;
	line = timelines__of(matcher->output.lines, request->client.tid);
	return timeline_waited(&line, before->sent_ns, request->sent_ns) ||
	       last_receives__others(matcher->received, request->client.tid, &connection->ends,
				     before->sent_ns, request->sent_ns);
}

static int call_matcher_add_request(struct call_matcher *matcher, struct connection *connection,
				    const struct call_message *request, bool is_one_way)
{
	size_t before;
	int err;

	/* As long as nothing has come back, the last message alone may get an answer. */
	if (is_one_way)
		drop_open(matcher, connection);
	before = exchange_kept(&connection->exchange);
	err = exchange_request(&connection->exchange, request,
			       client_has_waited(matcher, connection, request), &matcher->output);
	count_open(matcher, connection, before);
	/* The quietest connections make room for one more open request. */
	while (matcher->open_cnt >= CALL_MATCHER_ALL_OPEN_MAX && matcher->connection != connection)
		err = remove_connection(matcher, matcher->connection) ?: err;
	return err;
}

/*
 * Whether the server, which did something else until `from_ns`, has slept since then, and was made
 * to send this by another client:
 *
 *	from                           request of another          answer
 *	 |  (may send)    asleep               |   does not sleep    |
 */
static bool is_for_other(const struct call_matcher *matcher, const struct connection *connection,
			 const struct call_message *answer, uint64_t from_ns, bool *has_sent)
{
	struct timeline line;
	uint64_t other_ns;

	if (!last_receives__other_last(matcher->received, answer->server.tid, &connection->ends,
				       from_ns, answer->sent_ns, &other_ns, has_sent))
		return false;
	line = timelines__of(matcher->output.lines, answer->server.tid);
	return timeline_waited(&line, from_ns, other_ns) &&
	       !timeline_waited(&line, other_ns, answer->sent_ns);
}

/* Whether the server did nothing for the request, and sends for another client. */
static bool is_pushed(const struct call_matcher *matcher, const struct connection *connection,
		      const struct call_message *answer)
{
	const struct call_message *request = exchange_youngest(&connection->exchange);
	bool has_sent;

	return request && request->server.tid == answer->server.tid &&
	       is_for_other(matcher, connection, answer, request->recv_ns, &has_sent) && !has_sent;
}

static int call_matcher_add_answer(struct call_matcher *matcher, struct connection *connection,
				   const struct call_message *answer)
{
	struct exchange *exchange = &connection->exchange;
	bool has_sent;
	const struct answer_signs signs = {
		.has_moved_on =
			exchange->has_answer &&
			is_for_other(matcher, connection, answer, exchange->answer_ns, &has_sent),
		.is_pushed = is_pushed(matcher, connection, answer),
	};
	size_t before = exchange_kept(exchange);
	int answers = exchange_answer(exchange, answer, signs, &matcher->output);

	count_open(matcher, connection, before);
	return answers;
}

/* What the receiver of a message got to do. 0 or -ENOMEM. */
static int log_work(const struct call_matcher *matcher, const struct message *message,
		    const struct message_ends *ends, enum work_source source,
		    const struct request_id *request)
{
	const struct work work = {
		.source = ends->is_within ? WORK_MESSAGE : source,
		.is_request = source == WORK_REQUEST,
		.got_ns = message->recv_ns,
		.given_ns = message->queued_ns,
		.giver = message->sender.tid,
		.parent = *request,
	};

	return work_log__add(matcher->output.work, message->receiver.tid, &work);
}

/* The number and the parent of a request. So has what the server received of it before. */
static void identify(struct call_matcher *matcher, const struct exchange *exchange,
		     struct call_message *request)
{
	const struct call_message *begun = exchange_begun(exchange, request);
	const struct call_message *before = exchange_youngest(exchange);
	bool may_be_part = exchange_joins_requests(exchange) && !matcher->output.is_in_turn;

	if (begun) {
		request->number = begun->number;
		request->parent = begun->parent;
		return;
	}
	/* A further message of a request has its number. */
	request->number = before && may_be_part ? before->number : ++matcher->requests;
	request->parent = request_behind(matcher->output.work, matcher->output.lines,
					 request->client.tid, request->sent_ns);
}

/* Threads of a process hand over work by messages that may never be answered. */
static int log_request(struct call_matcher *matcher, const struct connection *connection,
		       const struct message *message, const struct message_ends *ends,
		       struct call_message *request)
{
	static const struct request_id none = {0};
	struct request_id id;

	identify(matcher, &connection->exchange, request);
	if (ends->is_within && !connection->exchange.was_answered)
		return log_work(matcher, message, ends, WORK_OTHER, &none);
	id = (struct request_id){
		.number = request->number, .tid = request->server.tid, .channel = request->channel};
	return log_work(matcher, message, ends, WORK_REQUEST, &id);
}

static int add_made_call(const struct call_matcher *matcher, const struct exchange *exchange,
			 const struct message *message)
{
	const struct call_output *output = &matcher->output;
	const struct call *call = &exchange->call;
	const struct made_call made = {
		.parent = exchange->parent.number,
		.callee = output->callee ? output->callee(output->book, call->channel)
					 : call->channel,
		.tid = call->client.tid,
		.channel = call->channel,
		.sent_ns = call->sent_ns,
		.back_ns = message->recv_ns,
	};

	return made_calls__add(output->made, &made, call->answers > 1);
}

/* `answers`: it is an answer or a part of one, the call of which may be nested in another one. */
static int log_answer(struct call_matcher *matcher, const struct connection *connection,
		      const struct message *message, const struct message_ends *ends, bool answers)
{
	const struct exchange *exchange = &connection->exchange;
	struct request_id parent = {0};
	int err = 0;

	if (answers && exchange->call.match != CALL_SEVERAL) {
		parent = exchange->parent;
		err = add_made_call(matcher, exchange, message);
	}
	return err ? err : log_work(matcher, message, ends, WORK_OTHER, &parent);
}

static int take_request(struct call_matcher *matcher, struct connection *connection,
			const struct call_direction *direction, const struct message *message,
			const struct message_ends *ends, struct call_message *request)
{
	bool is_one_way = direction->is_pipe && !connection->direction[direction->from_low];
	int err = 0;

	if (!exchange_is_rest(&connection->exchange, request))
		err = log_request(matcher, connection, message, ends, request);
	return err ? err : call_matcher_add_request(matcher, connection, request, is_one_way);
}

static int take_answer(struct call_matcher *matcher, struct connection *connection,
		       const struct message *message, const struct message_ends *ends,
		       const struct call_message *answer)
{
	const struct call_output *output = &matcher->output;
	const struct exchange *exchange = &connection->exchange;
	int answers = call_matcher_add_answer(matcher, connection, answer), err;

	if (answers < 0)
		return answers;
	if (answers && output->on_answered && exchange->has_request && exchange->has_answer) {
		err = output->on_answered(output->answered_ctx, &exchange->call);
		if (err)
			return err;
	}
	err = log_answer(matcher, connection, message, ends, answers);
	return err ? err : answers;
}

/* What it seemed to have asked before is no call either. */
static bool is_lock(struct call_matcher *matcher, struct connection *connection,
		    const struct call_direction *direction)
{
	if (direction->is_lock && !connection->is_lock)
		drop_open(matcher, connection);
	connection->is_lock |= direction->is_lock;
	return connection->is_lock;
}

/*
 * The connection to which the message, or its first part, belongs, and which learns from it which
 * end serves. NULL: it belongs to none, or `*err` is not 0.
 */
static struct connection *attend(struct call_matcher *matcher,
				 const struct call_direction *direction,
				 const struct message *message, const struct message_ends *ends,
				 int *err)
{
	struct connection *connection;

	*err = 0;
	if (!direction->ends.low)
		return NULL;
	connection = connection_of(matcher, direction, message->channel, ends, err);
	/* Only one pipe in each direction: others may be for something else. */
	if (!connection || connection->direction[!direction->from_low] != message->channel + 1 ||
	    is_lock(matcher, connection, direction))
		return NULL;
	if (begun_message_is(&connection->begun[!direction->from_low], message))
		return connection;
	if (!connection->has_message)
		trial_begin(matcher, connection, direction, message, ends);
	else if (connection->trial && trial_ends(matcher, connection, direction))
		drop_open(matcher, connection);
	connection->has_message = true;
	return connection;
}

int call_matcher__part(struct call_matcher *matcher, const struct call_direction *direction,
		       const struct message *message, const struct message_ends *ends)
{
	struct connection *connection;
	struct call_message part;
	int err;

	connection = attend(matcher, direction, message, ends, &err);
	if (!connection)
		return err;
	connection->begun[!direction->from_low] = (struct begun_message){
		.channel = message->channel + 1, .position = message->position};
	if ((connection->client == CLIENT_LOW) != direction->from_low)
		return 0;
	part = message_of(connection, message, true);
	if (exchange_is_rest(&connection->exchange, &part))
		return 0;
	err = log_request(matcher, connection, message, ends, &part);
	exchange_part(&connection->exchange, &part);
	return err;
}

/*
 * Whether another client may wait for an answer to it: not a thread of the server that wakes its
 * loop, and not a child that writes its output to a pipe.
 */
static bool is_from_client(const struct connection *connection,
			   const struct call_direction *direction, const struct message_ends *ends)
{
	return !ends->is_within &&
	       (!direction->is_pipe || connection->direction[direction->from_low]);
}

int call_matcher__message(struct call_matcher *matcher, const struct call_direction *direction,
			  const struct message *message, const struct message_ends *ends)
{
	static const struct request_id none = {0};
	struct connection *connection;
	struct call_message part;
	bool is_request;
	int err;

	last_receives__sent(matcher->received, message->sender.tid, message->send_ns);
	work_log__sent(matcher->output.work, message->sender.tid, message->send_ns);
	connection = attend(matcher, direction, message, ends, &err);
	if (!connection)
		return err ? err : log_work(matcher, message, ends, WORK_OTHER, &none);
	is_request = (connection->client == CLIENT_LOW) == direction->from_low;
	err = last_receives__add(matcher->received, message->receiver.tid, &direction->ends,
				 message->recv_ns,
				 is_request && is_from_client(connection, direction, ends));
	if (err)
		return err;
	part = message_of(connection, message, is_request);
	return is_request ? take_request(matcher, connection, direction, message, ends, &part)
			  : take_answer(matcher, connection, message, ends, &part);
}

void call_matcher__trim(struct call_matcher *matcher, uint64_t horizon_ns)
{
	made_calls__trim(matcher->output.made, horizon_ns);
}

uint64_t call_matcher__horizon(const struct call_matcher *matcher, uint64_t now_ns)
{
	uint64_t horizon_ns = UINT64_MAX;
	const struct connection *c;

	DL_FOREACH2 (matcher->open, c, next_open) {
		uint64_t since_ns = exchange_horizon(&c->exchange, &matcher->output, now_ns);

		if (!step_limit_spend(STEPS_OF_CONNECTION))
			break;
		if (since_ns < horizon_ns)
			horizon_ns = since_ns;
	}
	return horizon_ns;
}
