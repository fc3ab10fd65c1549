/* SPDX-License-Identifier: BSD-2-Clause */
#include "support/conversation.h"

struct call_matcher *matcher;
static struct baselines baselines;
struct channel_table *channels;
struct timelines *lines;
struct work_log *work;
struct serving serving;
struct calls_summary calls;
uint32_t called[8];
size_t called_cnt;
static uint64_t counted; /* calls of which the summary has to know */
struct call last_call;
struct message_ends ends;

int conversation_setup(void **state)
{
	calls = (struct calls_summary){0};
	called_cnt = counted = 0;
	ends = (struct message_ends){0};
	lines = timelines__new();
	baselines = (struct baselines){0};
	channels = channel_table__new(NULL, NULL, &baselines);
	work = work_log__new();
	if (serving_setup(&serving) || !lines || !channels || !work)
		return -1;
	renew_matcher(false);
	return matcher ? 0 : -1;
}

void renew_matcher(bool is_in_turn)
{
	const struct call_output output = {
		.lines = lines,
		.work = work,
		.blame = serving.blame,
		.calls = &calls,
		.is_in_turn = is_in_turn,
		.on_call = on_call,
		.ctx = &calls,
	};

	call_matcher__free(matcher);
	matcher = call_matcher__new(&output);
}

int conversation_teardown(void **state)
{
	call_matcher__free(matcher);
	matcher = NULL;
	work_log__free(work);
	channel_table__free(channels);
	timelines__free(lines);
	serving_teardown(&serving);
	stat_free(&calls.round_trip);
	stat_free(&calls.request);
	stat_free(&calls.service);
	stat_free(&calls.response);
	stat_free(&calls.response_first);
	stat_free(&calls.open_several);
	return 0;
}

int on_call(void *ctx, const struct call *call)
{
	assert_ptr_equal(ctx, &calls);
	called[called_cnt++ % ARRAY_SIZE(called)] = call->channel;
	counted += call->match == CALL_UNBALANCED ? call->requests : 1;
	last_call = *call;
	return 0;
}

struct call_direction *direction_of(uint32_t id)
{
	return &channel_table__make(channels, id)->direction;
}

void add_channel(uint32_t id, uint64_t sender, uint64_t receiver)
{
	struct record_channel channel = make_channel(id, TRANSPORT_UDS_STREAM, sender, receiver);

	call_direction_channel(direction_of(channel.channel), &channel);
}

void add_name(uint32_t id, uint32_t named)
{
	struct record_address address = make_address(id, "/run/x", named);

	call_direction_address(direction_of(address.channel), &address);
}

void add_ports(uint32_t id, uint16_t sender, uint16_t receiver)
{
	struct record_address address = make_port_address(id, sender, receiver);

	call_direction_address(direction_of(address.channel), &address);
}

/* Nothing shows which end serves. */
void connect_both(void)
{
	add_channel(TO_SERVER, CLIENT_END, SERVER_END);
	add_channel(TO_CLIENT, SERVER_END, CLIENT_END);
}

void connect_named(void)
{
	connect_both();
	add_name(TO_SERVER, ADDRESS_OF_RECEIVER);
	add_name(TO_CLIENT, ADDRESS_OF_SENDER);
}

int conversation_setup_named(void **state)
{
	int err = conversation_setup(state);

	if (!err)
		connect_named();
	return err;
}

int say_as(enum match match, uint32_t channel, uint32_t sender, uint32_t receiver, uint64_t send_ns,
	   uint64_t recv_ns)
{
	struct message message = {
		.channel = channel,
		.match = match,
		.sender = {.tid = sender},
		.receiver = {.tid = receiver},
		.send_ns = send_ns,
		.recv_ns = recv_ns,
	};

	return call_matcher__message(matcher, direction_of(message.channel), &message, &ends);
}

int say(uint32_t channel, uint32_t sender, uint32_t receiver, uint64_t send_ns, uint64_t recv_ns)
{
	return say_as(MATCH_EXACT, channel, sender, receiver, send_ns, recv_ns);
}

int request(uint64_t send_ns, uint64_t recv_ns)
{
	return say(TO_SERVER, CLIENT, SERVER, send_ns, recv_ns);
}

int answer(uint64_t send_ns, uint64_t recv_ns)
{
	return say(TO_CLIENT, SERVER, CLIENT, send_ns, recv_ns);
}

static struct message request_message(uint64_t position, uint64_t send_ns, uint64_t recv_ns)
{
	return (struct message){
		.channel = TO_SERVER,
		.position = position,
		.sender = {.tid = CLIENT},
		.receiver = {.tid = SERVER},
		.send_ns = send_ns,
		.recv_ns = recv_ns,
	};
}

int request_part(uint64_t position, uint64_t send_ns, uint64_t recv_ns)
{
	const struct message message = request_message(position, send_ns, recv_ns);

	return call_matcher__part(matcher, direction_of(TO_SERVER), &message, &ends);
}

int request_at(uint64_t position, uint64_t send_ns, uint64_t recv_ns)
{
	const struct message message = request_message(position, send_ns, recv_ns);

	return call_matcher__message(matcher, direction_of(TO_SERVER), &message, &ends);
}

void put_sleep(uint32_t tid, uint32_t kind, uint64_t at_ns, uint64_t first)
{
	const uint64_t change[] = {change_pack(at_ns, 0, kind), WAKE(at_ns + 1, 0),
				   SWITCH(at_ns + 2, 0), RUN(at_ns + 3, 0)};

	assert_int_equal(timelines__add(lines, tid, change, ARRAY_SIZE(change), first, at_ns + 3),
			 0);
}

void assert_sums(uint64_t cnt, uint64_t round_trip_ns, uint64_t request_ns, uint64_t service_ns,
		 uint64_t response_ns)
{
	assert_int_equal(call_matcher__finish(matcher), 0);
	assert_int_equal(calls.count, cnt);
	assert_int_equal(counted, cnt + calls.open_several.count + calls.unbalanced);
	assert_int_equal(calls.round_trip.sum, round_trip_ns);
	assert_int_equal(calls.request.sum, request_ns);
	assert_int_equal(calls.service.sum, service_ns);
	assert_int_equal(calls.response.sum, response_ns);
	assert_int_equal(round_trip_ns, request_ns + service_ns + response_ns);
}
