/* SPDX-License-Identifier: BSD-2-Clause */
/* A member receives, checks, counts and records the messages of its transport. */
#include "support/build.h"

#include "workload/member/links.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CLIENTS  3
#define WARMUP   2
#define ARRIVALS 4096

/* The next result of receive() of the test's own transport. */
struct arrival {
	uint32_t from;
	ssize_t size; /* or -errno */
	char *bytes;
	size_t at; /* of a stream: bytes received so far */
};

struct end {
	struct arrival arrival[ARRIVALS];
	size_t arrivals;
	size_t next;
	char sent[4096];
	size_t sent_size;
	uint32_t sent_to;
	int send_err;
	struct handover handover;
};

static ssize_t fake_receive(struct end *end, void *data, size_t size, uint32_t *from)
{
	struct arrival *arrival = &end->arrival[end->next];
	size_t left;

	assert_true(end->next < end->arrivals);
	*from = arrival->from;
	if (arrival->size <= 0) {
		end->next++;
		return arrival->size;
	}
	left = (size_t)arrival->size - arrival->at;
	size = left < size ? left : size;
	memcpy(data, arrival->bytes + arrival->at, size);
	arrival->at += size;
	end->next += arrival->at == (size_t)arrival->size;
	return (ssize_t)size;
}

static int fake_send(struct end *end, uint32_t to, const void *data, size_t size, bool wait)
{
	(void)wait;
	if (end->send_err)
		return end->send_err;
	memcpy(end->sent, data, size);
	end->sent_size = size;
	end->sent_to = to;
	return 0;
}

static const struct handover *fake_last_handover(const struct end *end)
{
	return &end->handover;
}

/* A member without a run around it. */
struct stage_play {
	struct transport_ops transport;
	struct pattern pattern; /* with the end under test */
	struct plan plan;
	struct worker worker;
	struct links links;
	struct end end;
};

static struct stage_play *play;

static void play_begin_reading(uint32_t number, size_t size, bool is_stream, size_t read_size)
{
	struct shared_plan plan = {.clients = CLIENTS,
				   .journal = 4096,
				   .serving = 4096,
				   .sidecar = size < sizeof(struct message_header) ? 8 : 0};

	play = calloc(1, sizeof(*play));
	assert_non_null(play);
	play->transport = (struct transport_ops){.is_stream = is_stream,
						 .send = fake_send,
						 .receive = fake_receive,
						 .last_handover = fake_last_handover};
	play->pattern.without_links = true;
	play->plan.transport = &play->transport;
	play->plan.pattern = &play->pattern;
	play->plan.spec.size = size;
	play->plan.spec.clients = CLIENTS;
	play->plan.spec.warmup = WARMUP;
	play->plan.spec.read_size = read_size;
	play->plan.message_max = size;
	play->worker =
		(struct worker){.plan = &play->plan, .shared = shared_new(&plan), .number = number};
	assert_non_null(play->worker.shared);
	assert_int_equal(links_open(&play->links, &play->worker), 0);
	play->links.end = &play->end;
}

static void play_begin(uint32_t number, size_t size, bool is_stream)
{
	play_begin_reading(number, size, is_stream, 0);
}

static int play_end(void **state)
{
	play->links.end = NULL;
	links_close(&play->links);
	for (size_t i = 0; i < play->end.arrivals; i++)
		free(play->end.arrival[i].bytes);
	shared_free(play->worker.shared);
	free(play);
	return 0;
}

EACH_TEST(NULL, play_end)

static char *arrive(uint32_t from, const void *bytes, ssize_t size)
{
	struct arrival *arrival = &play->end.arrival[play->end.arrivals++];

	assert_true(play->end.arrivals < ARRIVALS);
	*arrival = (struct arrival){.from = from, .size = size};
	if (size > 0) {
		arrival->bytes = malloc((size_t)size);
		memcpy(arrival->bytes, bytes, (size_t)size);
	}
	return arrival->bytes;
}

static char *message_of(uint32_t client, uint64_t number, size_t size)
{
	struct message_header header = {.client = client,
					.size = (uint32_t)size,
					.number = number,
					.stamp_ns = 1000 + number,
					.due_ns = 900 + number};
	char *message = malloc(size);
	int direction = play->worker.number == LINK_SERVER ? TO_SERVER : TO_CLIENT;

	message_make(message, size, &header);
	if (size < sizeof(header))
		sidecar_put(&play->worker.shared->slots[client].direction[direction].sidecar,
			    &header);
	return message;
}

/*
 * A message from that client, or from the server to it. Returns its bytes, so that a test can
 * damage them.
 */
static char *arrive_message(uint32_t client, uint64_t number)
{
	char *message = message_of(client, number, play->plan.spec.size);
	char *bytes = arrive(play->worker.number == LINK_SERVER ? client : LINK_SERVER, message,
			     (ssize_t)play->plan.spec.size);

	free(message);
	return bytes;
}

static struct incoming take(int expected)
{
	struct incoming incoming = {0};

	assert_int_equal(links_receive(&play->links, &incoming), expected);
	return incoming;
}

static void take_good(uint32_t client, uint64_t number)
{
	struct incoming incoming = take(1);

	assert_int_equal(incoming.client, client);
	assert_int_equal(incoming.header.number, number);
	assert_true(incoming.is_good);
}

static const struct direction *direction_in(uint32_t client)
{
	int direction = play->worker.number == LINK_SERVER ? TO_SERVER : TO_CLIENT;

	return &play->worker.shared->slots[client].direction[direction];
}

/* The records of a journal, one by one. */
static struct {
	union journal_entry entry[16];
	size_t cnt;
} notes;

static int note(void *ctx, const struct record *record)
{
	assert_true(notes.cnt < ARRAY_SIZE(notes.entry));
	memcpy(&notes.entry[notes.cnt++], record, record->words * 8);
	return 0;
}

/* Reads the new records into `notes`. Returns how many there are. */
static size_t notes_read(uint32_t client)
{
	notes.cnt = 0;
	journal_drain(links_find(&play->links, client)->journal, note, NULL);
	return notes.cnt;
}

TEST(a_message_is_stamped_and_counted)
{
	struct incoming incoming;
	play_begin(2, 64, false);
	for (uint64_t number = 0; number < WARMUP + 1; number++)
		arrive_message(2, number);
	take_good(2, 0);
	take_good(2, 1);
	assert_int_equal(direction_in(2)->first_ns, 0); /* warm-up does not count */
	incoming = take(1);
	assert_int_equal(direction_in(2)->received, 3);
	assert_int_equal(direction_in(2)->bytes, 64);
	assert_int_equal(direction_in(2)->first_ns, 1002); /* it takes time, too */
	assert_int_equal(direction_in(2)->last_ns, incoming.user_ns);
	assert_int_equal(notes_read(2), 3);
	assert_int_equal(notes.entry[2].head.type, RECORD_STAMP);
	assert_int_equal(notes.entry[2].stamp.client, 2);
	assert_int_equal(notes.entry[2].stamp.to_server, 0);
	assert_int_equal(notes.entry[2].stamp.index, 2);
	assert_int_equal(notes.entry[2].stamp.round, 2);
	assert_int_equal(notes.entry[2].stamp.stamp_ns, 1002);
	assert_int_equal(notes.entry[2].stamp.due_ns, 902);
	assert_int_equal(notes.entry[2].stamp.user_ns, incoming.user_ns);
}

TEST(what_was_lost_on_the_way_leaves_a_gap)
{
	play_begin(1, 64, false);
	arrive_message(1, 0);
	arrive_message(1, 5);
	take_good(1, 0);
	take_good(1, 5);
	assert_int_equal(direction_in(1)->received, 2);
	assert_int_equal(direction_in(1)->corrupt, 0);
	notes_read(1);
	assert_int_equal(notes.entry[1].stamp.index, 1);
	assert_int_equal(notes.entry[1].stamp.round, 5);
}

TEST(a_corrupt_message_counts_but_says_nothing)
{
	struct incoming incoming;

	play_begin(1, 64, false);
	arrive_message(1, 0);
	arrive_message(1, 1)[50] ^= 1;
	arrive_message(1, 2);
	take_good(1, 0);
	incoming = take(1);
	assert_false(incoming.is_good);
	assert_int_equal(incoming.header.number, 1);
	take_good(1, 2);
	assert_int_equal(direction_in(1)->received, 3);
	assert_int_equal(direction_in(1)->corrupt, 1);
	assert_int_equal(notes_read(1), 2);
}

TEST(a_message_that_comes_again_is_corrupt)
{
	play_begin(1, 64, false);
	arrive_message(1, 0);
	arrive_message(1, 0);
	take_good(1, 0);
	assert_false(take(1).is_good);
}

TEST(another_links_message_is_corrupt)
{
	char *message;

	play_begin(LINK_SERVER, 64, false);
	message = message_of(2, 0, 64);
	arrive(1, message, 64);
	free(message);
	assert_false(take(1).is_good);
	assert_int_equal(direction_in(1)->corrupt, 1);
	assert_int_equal(direction_in(2)->received, 0);
}

TEST(an_unknown_sender_is_ignored)
{
	play_begin(LINK_SERVER, 64, false);
	arrive(LINK_SERVER, "unknown", 7);
	arrive(LINK_SERVER, NULL, 0);
	arrive(CLIENTS + 1, "unknown", 7);
	arrive_message(CLIENTS, 0);
	take_good(CLIENTS, 0);
}

TEST(a_closed_link_is_reported_and_the_others_go_on)
{
	play_begin(LINK_SERVER, 64, true);
	arrive(1, "the beginning of a message", 20);
	arrive(1, NULL, 0);
	arrive_message(2, 0);
	arrive(3, NULL, -ECONNRESET);
	arrive_message(2, 1);
	arrive(0, NULL, -EINTR);
	assert_int_equal(take(0).client, 1);
	take_good(2, 0);
	assert_int_equal(take(0).client, 3);
	take_good(2, 1);
	take(-EINTR);
}

TEST(the_end_of_the_server_is_reported)
{
	play_begin(3, 64, true);
	arrive_message(3, 0);
	arrive(LINK_SERVER, NULL, 0);
	take_good(3, 0);
	assert_int_equal(take(0).client, 3);
}

TEST(a_stream_out_of_step_is_an_error)
{
	char nonsense[64] = "this was no message, but bytes are taken from somewhere";

	play_begin(1, 64, true);
	arrive(LINK_SERVER, nonsense, sizeof(nonsense));
	take(-EPROTO);
}

/* Pieces of all clients' messages in a random order, and reads of any size. */
static void check_mixed_streams(size_t size, size_t read_size)
{
	uint64_t sent[CLIENTS + 1] = {0}, taken_cnt[CLIENTS + 1] = {0};
	char *message[CLIENTS + 1] = {0};
	size_t at[CLIENTS + 1] = {0}, left = CLIENTS * 100;

	play_begin_reading(LINK_SERVER, size, true, read_size);
	while (left) {
		uint32_t client = 1 + (uint32_t)rand() % CLIENTS;
		size_t piece = 1 + (size_t)rand() % size;
		struct incoming incoming;

		if (sent[client] == 100)
			continue;
		if (!message[client])
			message[client] = message_of(client, sent[client], size);
		piece = piece < size - at[client] ? piece : size - at[client];
		arrive(client, message[client] + at[client], (ssize_t)piece);
		at[client] += piece;
		if (at[client] < size)
			continue;
		free(message[client]);
		message[client] = NULL;
		at[client] = 0;
		sent[client]++;
		left--;
		incoming = take(1);
		assert_true(incoming.is_good);
		assert_int_equal(incoming.header.number, taken_cnt[incoming.client]++);
	}
	for (uint32_t client = 1; client <= CLIENTS; client++)
		assert_int_equal(taken_cnt[client], 100);
	play_end(NULL);
}

TEST(pieces_of_many_are_put_together)
{
	srand(1);
	check_mixed_streams(64, 0);
	check_mixed_streams(64, 7);
	check_mixed_streams(64, 500);
	check_mixed_streams(3, 0);
	check_mixed_streams(3, 100);
	play_begin(1, 64, false);
}

TEST(messages_that_come_together_have_the_same_instant)
{
	char both[128], *message;
	struct incoming first, second;

	play_begin_reading(1, 64, true, 200);
	for (uint64_t number = 0; number < 2; number++) {
		message = message_of(1, number, 64);
		memcpy(both + number * 64, message, 64);
		free(message);
	}
	arrive(LINK_SERVER, both, 128);
	first = take(1);
	second = take(1);
	assert_int_equal(first.user_ns, second.user_ns);
	assert_int_equal(second.header.number, 1);
}

TEST(a_small_message_has_its_header_beside_it)
{
	play_begin(1, 3, false);
	arrive_message(1, 0);
	arrive_message(1, 1);
	take_good(1, 0);
	take_good(1, 1);
	assert_int_equal(notes_read(1), 2);
	assert_int_equal(notes.entry[1].stamp.stamp_ns, 1001);
	assert_int_equal(notes.entry[1].stamp.due_ns, 901);
}

/* The room is for eight. */
TEST(a_header_that_was_overwritten_is_counted)
{
	struct incoming incoming;

	play_begin(1, 3, false);
	for (uint64_t number = 0; number < 9; number++)
		arrive_message(1, number);
	incoming = take(1);
	assert_true(incoming.is_good);
	assert_false(incoming.has_stamp);
	assert_int_equal(notes_read(1), 0);
	take_good(1, 1);
	assert_int_equal(notes_read(1), 1);
	assert_int_equal(direction_in(1)->headerless, 1);
	assert_int_equal(direction_in(1)->corrupt, 0);
}

TEST(what_is_sent_is_counted_and_what_is_not_is_not)
{
	struct post post;

	play_begin(LINK_SERVER, 64, false);
	post = links_make(&play->links, 2, 7, 64);
	post.header.stamp_ns = 123;
	assert_int_equal(links_send(&play->links, &post, false), 0);
	assert_int_equal(play->end.sent_to, 2);
	assert_int_equal(play->end.sent_size, 64);
	assert_true(message_check(play->end.sent, 64, 2, 7, &post.header));
	assert_int_equal(post.header.stamp_ns, 123);
	play->end.send_err = -EAGAIN;
	assert_int_equal(links_send(&play->links, &post, false), -EAGAIN);
	assert_int_equal(play->worker.shared->slots[2].direction[TO_CLIENT].sent, 1);
	assert_int_equal(play->worker.shared->slots[1].direction[TO_CLIENT].sent, 0);
}

TEST(what_is_delivered_is_given_up_when_the_run_ends)
{
	struct post post;

	play_begin(1, 64, false);
	post = links_make(&play->links, 1, 0, 64);
	play->end.send_err = -EPIPE;
	assert_int_equal(links_deliver(&play->links, &post), -EPIPE);
	play->end.send_err = -EAGAIN;
	shared_stop(play->worker.shared);
	assert_int_equal(links_deliver(&play->links, &post), -EINTR);
}

TEST(an_answer_is_what_was_asked)
{
	struct incoming incoming;
	struct post post;

	for (size_t size = 3; size <= 64; size += 61) {
		play_begin(LINK_SERVER, size, false);
		arrive_message(3, 0);
		incoming = take(1);
		post = (struct post){.message = incoming.message, .header = incoming.header};
		post.header.stamp_ns = 5000;
		assert_int_equal(links_send(&play->links, &post, true), 0);
		assert_int_equal(play->end.sent_size, size);
		assert_true(message_check(play->end.sent, size, 3, 0, &post.header));
		if (size < sizeof(post.header))
			assert_true(sidecar_get(
				&play->worker.shared->slots[3].direction[TO_CLIENT].sidecar, 0,
				&post.header));
		assert_int_equal(post.header.stamp_ns, 5000);
		if (size == 3)
			play_end(NULL);
	}
}

TEST(handovers_make_the_records_of_both_sides)
{
	struct post post;

	play_begin(LINK_SERVER, 64, false);
	play->transport.notes_handover = true;
	play->end.handover = (struct handover){
		.send_ns = 10, .queued_ns = 20, .enter_ns = 30, .exit_ns = 40, .position = 4};
	arrive_message(2, 0);
	take_good(2, 0);
	post = links_make(&play->links, 2, 0, 64);
	assert_int_equal(links_send(&play->links, &post, true), 0);
	assert_int_equal(notes_read(2), 3);
	assert_int_equal(notes.entry[0].head.type, RECORD_STAMP);
	assert_int_equal(notes.entry[1].receive.channel, CHANNEL_OF_LINK(2, 1));
	assert_int_equal(notes.entry[1].receive.head.words, RECORD_WORDS(struct record_receive));
	assert_int_equal(notes.entry[1].receive.position, 4);
	assert_int_equal(notes.entry[1].receive.bytes, 64);
	assert_int_equal(notes.entry[1].receive.enter_ns, 30);
	assert_int_equal(notes.entry[1].receive.exit_ns, 40);
	assert_true(notes.entry[1].receive.first == RECEIVE_FROM_WORKLOAD);
	assert_int_equal(notes.entry[2].head.type, RECORD_SEND);
	assert_int_equal(notes.entry[2].send.channel, CHANNEL_OF_LINK(2, 0));
	assert_int_equal(notes.entry[2].send.send_ns, 10);
	assert_int_equal(notes.entry[2].send.queued_ns, 20);
}

TEST(where_the_kernel_sends_its_instants_are_the_message)
{
	play_begin(1, 64, false);
	play->transport.notes_handover = true;
	play->transport.kernel_sends = true;
	play->end.handover = (struct handover){.send_ns = 10,
					       .due_ns = 5,
					       .queued_ns = 20,
					       .enter_ns = 30,
					       .exit_ns = 40,
					       .position = 6};
	arrive(LINK_SERVER, "tick", 4);
	take_good(1, 6);
	assert_int_equal(notes_read(1), 3);
	assert_int_equal(notes.entry[0].send.position, 6);
	assert_int_equal(notes.entry[0].send.channel, CHANNEL_OF_LINK(1, 0));
	assert_int_equal(notes.entry[1].receive.position, 6);
	assert_int_equal(notes.entry[2].stamp.round, 6);
	assert_int_equal(notes.entry[2].stamp.index, 0);
	assert_int_equal(notes.entry[2].stamp.stamp_ns, 10);
	assert_int_equal(notes.entry[2].stamp.due_ns, 5);
	assert_int_equal(direction_in(1)->sent, 7);
	assert_int_equal(direction_in(1)->received, 1);
}
