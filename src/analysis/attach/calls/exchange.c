/* SPDX-License-Identifier: BSD-2-Clause */
/* A call with an answer waits for the next request, which shows that the answer is complete. */
#include "analysis/attach/calls/exchange.h"

#include "analysis/attach/calls/call_output.h"

#include <errno.h>
#include <stdlib.h>

/* So many proofs show that a connection often has several open requests, ... */
#define PROOFS_ENOUGH 2

/* ... until so many answers came without another one. */
#define CLEAN_ENOUGH 1000

/*
 * Some messages, as of a handshake, are never answered, and seem to be open. After a single proof,
 * so many requests in turn with answers show that.
 */
#define STEADY_ENOUGH 16

/* One message in one direction may be all that is ever sent there. */
#define FIRST_ANSWER_NS 2000000000ULL

/* For so long the history is kept for the next part of an answer, ... */
#define NEXT_PART_NS 2000000000ULL

/* ... if one of so many answers consists of several parts. */
#define PARTS_FREQUENT 20

void exchange_clear(struct exchange *exchange)
{
	open_requests_drop(&exchange->open, exchange_open(exchange));
	several_clear(&exchange->several);
	exchange->has_request = exchange->has_answer = false;
	exchange->begun.state = BEGUN_NONE;
}

static int exchange_push(struct exchange *exchange, const struct call_message *request,
			 const struct call_output *output)
{
	int err = 0;

	if (exchange_open(exchange) == EXCHANGE_OPEN_MAX) {
		open_requests_drop(&exchange->open, 1);
		err = several_give_up(&exchange->several, output);
	}
	return open_requests_add(&exchange->open, request) ?: err;
}

/* A connection that often has several open may have one that comes in parts all the same. */
bool exchange_joins_requests(const struct exchange *exchange)
{
	return !exchange->is_several &&
	       (exchange->proofs < PROOFS_ENOUGH || exchange->clean >= CLEAN_ENOUGH);
}

/* It is certain that the client sends a request while another is open. */
static void prove_open(struct exchange *exchange)
{
	exchange->has_trust = false;
	exchange->proofs = exchange->clean < CLEAN_ENOUGH ? exchange->proofs + 1 : 1;
	exchange->clean = 0;
}

/* It is certain that the server had several requests at the same time. */
static void prove_several(struct exchange *exchange)
{
	exchange->is_several = true;
	prove_open(exchange);
}

/* Adds a part of the answer. */
static void add_to_answer(struct exchange *exchange, const struct call_message *part)
{
	struct call *call = &exchange->call;

	if (!call->answers || part->sent_ns > call->last_sent_ns)
		exchange->answerer = part->server.tid;
	call_add_answer(call, part);
	exchange->answer_ns = part->sent_ns;
	exchange->answer_bytes = part->bytes;
	exchange->has_answer = true;
}

/* Lets go of what the call owns. */
static void exchange_release(struct call *call)
{
	free(call->between);
	call->between = NULL;
}

static int exchange_emit(struct call *call, const struct call_output *output)
{
	int err = call_output_add(output, call);

	exchange_release(call);
	return err;
}

/* The held calls are what `match` says. */
static int release_held(struct exchange *exchange, enum call_match match,
			const struct call_output *output)
{
	int err = 0;

	for (uint32_t i = 0; i < exchange->held_cnt; i++) {
		exchange->held[i].match = match;
		err = exchange_emit(&exchange->held[i], output) ?: err;
	}
	exchange->held_cnt = 0;
	return err;
}

/*
 * Several messages without an answer are one request in parts, or several requests: the first calls
 * of this kind wait for what the connection shows.
 */
static int exchange_hold(struct exchange *exchange, const struct call_output *output)
{
	if (!exchange->held)
		exchange->held = calloc(EXCHANGE_HELD_MAX, sizeof(*exchange->held));
	if (!exchange->held)
		return -ENOMEM;
	exchange->held[exchange->held_cnt++] = exchange->call;
	exchange->call.between = NULL;
	if (exchange->held_cnt < EXCHANGE_HELD_MAX)
		return 0;
	exchange->has_trust = true;
	return release_held(exchange, CALL_ALONE, output);
}

static int end_call(struct exchange *exchange, const struct call_output *output)
{
	bool is_whole = exchange->has_request && exchange->has_answer;
	bool is_alone = exchange->call.match == CALL_ALONE;

	exchange->has_request = exchange->has_answer = false;
	if (!is_whole)
		return 0;
	call_check_parent(&exchange->call, &exchange->parent, output);
	/* The connection is at rest. */
	exchange->several.unasked = 0;
	exchange->several.back_ns = exchange->call.back_ns;
	return is_alone && exchange->call.requests > 1 && !exchange->has_trust
		       ? exchange_hold(exchange, output)
		       : exchange_emit(&exchange->call, output);
}

int exchange_finish(struct exchange *exchange, const struct call_output *output)
{
	int err = end_call(exchange, output);

	err = several_end(&exchange->several, !exchange_open(exchange), output) ?: err;
	return release_held(exchange, CALL_ALONE, output) ?: err;
}

void exchange_free(struct exchange *exchange)
{
	exchange_release(&exchange->call);
	for (uint32_t i = 0; i < exchange->held_cnt; i++)
		exchange_release(&exchange->held[i]);
	several_clear(&exchange->several);
	open_requests_free(&exchange->open);
	free(exchange->held);
}

/*
 * The first `cnt` open requests are, together, the request of the call that this message answers.
 */
static void begin_call(struct exchange *exchange, size_t cnt, const struct call_message *answer)
{
	exchange_release(&exchange->call);
	exchange->call = (struct call){0};
	exchange->parent = (struct request_id){0};
	for (size_t i = 0; i < cnt; i++) {
		const struct call_message *request = open_requests_at(&exchange->open, i);

		call_add_request(&exchange->call, request);
		if (!i)
			exchange->parent = request->parent;
	}
	open_requests_drop(&exchange->open, cnt);
	exchange->has_request = cnt;
	exchange->was_answered = true;
	add_to_answer(exchange, answer);
}

/*
 * A request may come after its answer if its records were delayed. It then gets the first answer
 * that found no request.
 */
static int add_late_request(struct exchange *exchange, const struct call_message *request,
			    const struct call_output *output)
{
	const struct call_message answer = {.server = exchange->call.server,
					    .hides_calls = request->hides_calls};
	uint32_t answers = exchange->call.answers;
	int err;

	output->calls->unasked -= answers;
	if (exchange->several.unasked >= answers)
		exchange->several.unasked -= answers;
	call_add_request(&exchange->call, request);
	exchange->has_request = true;
	err = call_service_cut(&exchange->call, &answer, output);
	if (!output->is_in_turn && !exchange->is_several)
		return err;
	exchange->call.match = output->is_in_turn ? CALL_IN_TURN : CALL_SEVERAL;
	return end_call(exchange, output) ?: err;
}

/* Nothing is known of the contents: this message answers no request that is open. */
static void add_unasked(struct exchange *exchange, const struct call_message *message,
			const struct call_output *output)
{
	output->calls->unasked++;
	exchange->several.unasked++;
	if (exchange->has_answer)
		return;
	exchange_release(&exchange->call);
	exchange->call = (struct call){.server = message->server};
	exchange->has_request = false;
	add_to_answer(exchange, message);
}

/*
 * Requests and answers take turns, and the same requests seem to be open all the time: these have
 * no answer. With pipelining the number varies, or it is proved more often that several are open.
 */
static int forget_unanswered(struct exchange *exchange, const struct call_output *output)
{
	size_t cnt = exchange_open(exchange);
	int err;

	exchange->steady = cnt == exchange->steady_cnt ? exchange->steady + 1 : 0;
	exchange->steady_cnt = cnt;
	if (exchange->proofs >= PROOFS_ENOUGH || exchange->steady < STEADY_ENOUGH ||
	    exchange->clean < STEADY_ENOUGH)
		return 0;
	err = several_give_up(&exchange->several, output);
	open_requests_drop(&exchange->open, cnt);
	exchange->is_several = false;
	exchange->proofs = exchange->clean = exchange->steady = 0;
	return err;
}

static int add_one_of_several(struct exchange *exchange, const struct call_message *request,
			      const struct call_output *output)
{
	const struct call_message *before = exchange_youngest(exchange);
	int err = 0;

	if (before && before->client.tid != request->client.tid)
		prove_several(exchange);
	if (!output->is_in_turn)
		err = forget_unanswered(exchange, output);
	return exchange_push(exchange, request, output) ?: err;
}

/*
 * The current call has an answer. A request that the client sent before this came back is the next
 * one of the server all the same:
 *
 *	client  1  2                 answer to 1
 *	server     1 ... answer to 1  2 ...
 *
 * But if the server had it when it sent the last part, that part may be the answer to it. A client
 * that has the first part did wait.
 */
static int exchange_end_before(struct exchange *exchange, struct call_message *request,
			       const struct call_output *output)
{
	const struct call *call = &exchange->call;

	request->is_crossing = exchange->has_request && request->sent_ns < call->first_back_ns;
	if (request->is_crossing)
		prove_open(exchange);
	exchange->is_several =
		exchange->has_request && request->sent_ns < call->back_ns &&
		begun_request_was_there(&exchange->begun, request, call->last_sent_ns);
	return end_call(exchange, output);
}

/* Whether a request is no further part of the youngest open one. */
static bool is_apart(const struct exchange *exchange, const struct call_message *request,
		     bool has_waited)
{
	const struct call_message *before = exchange_youngest(exchange);
	const struct call *call = &exchange->call;

	if (!before)
		return false;
	return before->client.tid != request->client.tid || !exchange_joins_requests(exchange) ||
	       (exchange->has_answer && before->sent_ns < call->back_ns &&
		call->back_ns <= request->sent_ns) ||
	       (has_waited && !call_part_is_large(before->bytes));
}

static int exchange_add_request(struct exchange *exchange, const struct call_message *request,
				bool has_waited, const struct call_output *output)
{
	struct call_message added = *request;
	int err;

	if (exchange->has_answer && !exchange->has_request &&
	    request->recv_ns <= exchange->call.answered_ns)
		return add_late_request(exchange, request, output);
	err = exchange_open(exchange) ? 0 : several_end(&exchange->several, true, output);
	if (output->is_in_turn || exchange->is_several)
		return add_one_of_several(exchange, request, output) ?: err;
	if (exchange->has_answer && exchange->has_request &&
	    request->recv_ns <= exchange->call.answered_ns) {
		call_add_request(&exchange->call, request);
		return 0;
	}
	added.is_apart = is_apart(exchange, request, has_waited);
	if (exchange->has_answer)
		err = exchange_end_before(exchange, &added, output) ?: err;
	return exchange_push(exchange, &added, output) ?: err;
}

/* If it has just turned out that several requests are open, this may also be so of held calls. */
static int settle_held(struct exchange *exchange, const struct call_output *output)
{
	bool is_proven = exchange->proofs && !exchange->clean;

	return exchange->is_several || is_proven ? release_held(exchange, CALL_UNBALANCED, output)
						 : 0;
}

void exchange_part(struct exchange *exchange, const struct call_message *part)
{
	if (!exchange_is_rest(exchange, part))
		begun_request_add(&exchange->begun, part);
}

int exchange_request(struct exchange *exchange, const struct call_message *request, bool has_waited,
		     const struct call_output *output)
{
	int err;

	if (exchange_is_rest(exchange, request))
		return 0;
	exchange->begun.state =
		begun_request_is(&exchange->begun, request) ? BEGUN_WHOLE : BEGUN_NONE;
	err = exchange_add_request(exchange, request, has_waited, output);
	return settle_held(exchange, output) ?: err;
}

/*
 * The server sends this when it has received a part of the only request that is open:
 *
 *	part   (sends)   the rest
 */
static void act_on_part(struct exchange *exchange, const struct call_message *answer)
{
	struct call_message *only;
	uint64_t part_ns;

	if (exchange_open(exchange) != 1)
		return;
	only = open_requests_at(&exchange->open, 0);
	if (only->recv_ns <= answer->sent_ns || !begun_request_is(&exchange->begun, only))
		return;
	part_ns = begun_request_last_part_ns(&exchange->begun, answer->sent_ns);
	if (part_ns)
		only->recv_ns = part_ns;
}

/*
 * The same, but the rest has yet to come. What the server sends while the client still receives the
 * answer before belongs to that one.
 */
static int act_on_begun(struct exchange *exchange, const struct call_message *answer,
			const struct call_output *output)
{
	struct call_message *begun = &exchange->begun.message;
	uint64_t part_ns = begun_request_last_part_ns(&exchange->begun, answer->sent_ns);

	if (exchange->begun.state != BEGUN_PART || exchange_open(exchange) || !part_ns ||
	    (exchange->has_answer && begun->sent_ns < exchange->call.back_ns))
		return 0;
	exchange->begun.state = BEGUN_ANSWERED;
	begun->recv_ns = part_ns;
	return exchange_add_request(exchange, begun, false, output);
}

static int pair_oldest(struct exchange *exchange, const struct call_message *answer,
		       const struct call_output *output)
{
	const struct call_message *oldest = open_requests_at(&exchange->open, 0);
	int err = end_call(exchange, output);

	err = several_add(&exchange->several, oldest, answer, output) ?: err;
	open_requests_drop(&exchange->open, 1);
	exchange->call.match = CALL_SEVERAL;
	exchange->was_answered = true;
	exchange->clean++;
	/* Without an open request, the connection has one at a time again. */
	if (!exchange_open(exchange))
		exchange->is_several = false;
	return err ?: 1;
}

static int answer_oldest(struct exchange *exchange, const struct call_message *answer,
			 const struct call_output *output)
{
	const struct call_message *oldest = open_requests_at(&exchange->open, 0);
	int err = 0;

	if (!exchange_open(exchange) || oldest->recv_ns > answer->sent_ns) {
		add_unasked(exchange, answer, output);
		return 0;
	}
	if (exchange_youngest(exchange)->recv_ns > answer->sent_ns)
		prove_several(exchange);
	if (!output->is_in_turn)
		return pair_oldest(exchange, answer, output);
	begin_call(exchange, 1, answer);
	exchange->call.match = CALL_IN_TURN;
	err = call_service_cut(&exchange->call, answer, output);
	return end_call(exchange, output) ?: err ?: 1;
}

/*
 * Whether the server sends by itself over this connection, as brokers do to their subscribers: what
 * these send, for example acknowledgements, is no request.
 */
static bool is_push(struct exchange *exchange, const struct answer_signs *signs)
{
	exchange->pushed += signs->is_pushed;
	exchange->normal += !signs->is_pushed;
	return signs->is_pushed && exchange->pushed > exchange->normal;
}

/*
 * Whether the first `cnt` open requests, which the server has, are several and not parts of one. So
 * they are if the client has sent the next one already, without waiting for their answer.
 */
static bool are_several(struct exchange *exchange, size_t cnt)
{
	const struct call_message *request = open_requests_at(&exchange->open, 0);

	if (cnt > 1 && cnt < exchange_open(exchange))
		prove_several(exchange);
	for (size_t i = 1; i < cnt; i++) {
		if (!request[i].is_apart)
			continue;
		if (request[i].client.tid != request[i - 1].client.tid)
			prove_several(exchange);
		exchange->is_several = true;
	}
	return exchange->is_several;
}

/* It may be the rest of the answer before: the request was under way when the client got that. */
static int add_doubtful_part(struct exchange *exchange, const struct call_output *output)
{
	prove_several(exchange);
	exchange->call.match = CALL_UNBALANCED;
	output->calls->unasked++;
	exchange->several.unasked++;
	return end_call(exchange, output);
}

static int exchange_add_part(struct exchange *exchange, const struct call_message *part,
			     bool has_moved_on, const struct call_output *output)
{
	bool is_under_way = exchange->call.back_ns > part->sent_ns ||
			    call_part_is_large(exchange->answer_bytes);
	int err;

	if (has_moved_on && !is_under_way) {
		output->calls->unasked++;
		output->calls->undecided++;
		return 0;
	}
	if (exchange->is_doubtful)
		return add_doubtful_part(exchange, output);
	err = call_service_between(&exchange->call, exchange->answerer, part, output);
	add_to_answer(exchange, part);
	return err ?: 1;
}

/* The server had received the first `cnt` open requests, and has sent no answer since. */
static int answer_received(struct exchange *exchange, size_t cnt, const struct call_message *answer,
			   const struct call_output *output)
{
	int err = end_call(exchange, output);

	exchange->is_doubtful = open_requests_at(&exchange->open, 0)->is_crossing;
	begin_call(exchange, cnt, answer);
	/* Requests that have come since: their client has not waited for this answer. */
	for (size_t i = 0; i < exchange_open(exchange); i++)
		open_requests_at(&exchange->open, i)->is_crossing = true;
	if (exchange_open(exchange))
		prove_open(exchange);
	return call_service_cut(&exchange->call, answer, output) ?: err ?: 1;
}

static int exchange_add_answer(struct exchange *exchange, const struct call_message *answer,
			       const struct answer_signs *signs, const struct call_output *output)
{
	size_t cnt = open_requests_received(&exchange->open, answer->sent_ns);

	if (output->is_in_turn || exchange->is_several)
		return answer_oldest(exchange, answer, output);
	/* It was sent before the request had come, and has been overtaken. */
	if (exchange->has_request && answer->sent_ns < exchange->call.received_ns) {
		add_unasked(exchange, answer, output);
		return 0;
	}
	if (!cnt && exchange->has_answer && exchange->has_request)
		return exchange_add_part(exchange, answer, signs->has_moved_on, output);
	if (!cnt) {
		add_unasked(exchange, answer, output);
		return 0;
	}
	if (are_several(exchange, cnt))
		return answer_oldest(exchange, answer, output);
	exchange->clean++;
	if (is_push(exchange, signs)) {
		open_requests_drop(&exchange->open, exchange_open(exchange));
		output->calls->unasked++;
		output->calls->undecided++;
		return 0;
	}
	return answer_received(exchange, cnt, answer, output);
}

int exchange_answer(struct exchange *exchange, const struct call_message *answer,
		    struct answer_signs signs, const struct call_output *output)
{
	int err = act_on_begun(exchange, answer, output), answers;

	act_on_part(exchange, answer);
	answers = err ? err : exchange_add_answer(exchange, answer, &signs, output);
	return settle_held(exchange, output) ?: answers;
}

bool exchange_keeps_history(const struct exchange *exchange, const struct call_output *output)
{
	const struct calls_summary *calls = output->calls;

	/* Answers in parts are so frequent that the history of each is worth keeping. */
	return exchange_open(exchange) || (exchange->has_request && exchange->has_answer &&
					   calls->parts.calls * PARTS_FREQUENT >= calls->count + 1);
}

/* What the server does after a part of the answer, until the next one comes. */
static uint64_t horizon_of_answer(const struct exchange *exchange, uint64_t now_ns)
{
	uint64_t since_ns = exchange->call.last_sent_ns;

	return exchange->has_request && exchange->has_answer && since_ns + NEXT_PART_NS >= now_ns
		       ? since_ns
		       : UINT64_MAX;
}

uint64_t exchange_horizon(const struct exchange *exchange, const struct call_output *output,
			  uint64_t now_ns)
{
	uint64_t since_ns;

	if (!exchange_open(exchange))
		return horizon_of_answer(exchange, now_ns);
	if ((exchange->is_several && !output->is_in_turn))
		return UINT64_MAX;
	since_ns = open_requests_at(&exchange->open, 0)->sent_ns;
	return exchange->was_answered || since_ns + FIRST_ANSWER_NS >= now_ns ? since_ns
									      : UINT64_MAX;
}
