/* SPDX-License-Identifier: BSD-2-Clause */
/* What went over which channel, what channels are called, and that there is room for all of it. */
#include "support/build.h"

#include "analysis/attach/channel_book.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct channel_book *book;
static struct summary summary;

static int setup(void **state)
{
	summary = (struct summary){0};
	book = channel_book__new();
	return book ? 0 : -1;
}

static int teardown(void **state)
{
	for (uint32_t i = 0; i < summary.channel_cnt; i++)
		stat_free(&summary.channel[i].latency);
	free(summary.channel);
	channel_book__free(book);
	return 0;
}

EACH_TEST(setup, teardown)

static struct naming naming; /* knows no names */

static void put_message(uint32_t channel, uint64_t latency_ns)
{
	struct end_summary sender = {.pid = 10, .tid = 11, .comm = "client"};
	struct end_summary receiver = {.pid = 20, .tid = 21, .comm = "server"};
	struct message message = {.channel = channel,
				  .transport = TRANSPORT_UDS,
				  .bytes = 64,
				  .latency_ns = latency_ns,
				  .component_ns = {[COMPONENT_RECEIVE] = latency_ns}};

	assert_int_equal(channel_book__message(book, &message, &sender, &receiver, &naming), 0);
}

static void put_messages(uint32_t channel, size_t cnt)
{
	while (cnt--)
		put_message(channel, 1000);
}

static void put_address(struct record_address address)
{
	assert_int_equal(channel_book__address(book, &address), 0);
}

static void finish(void)
{
	assert_int_equal(channel_book__finish(book, &summary), 0);
}

static const struct channel_summary *channel(uint32_t id)
{
	for (uint32_t i = 0; i < summary.channel_cnt; i++) {
		if (summary.channel[i].id == id && !summary.channel[i].folded)
			return &summary.channel[i];
	}
	fail_msg("channel %u is not in the summary", id);
	return NULL;
}

/* Where everything else went. */
static const struct channel_summary *other(void)
{
	const struct channel_summary *last = &summary.channel[summary.channel_cnt - 1];

	assert_true(summary.channel_cnt > 0);
	assert_true(last->folded > 0);
	return last;
}

static uint64_t all_messages(void)
{
	uint64_t cnt = 0;

	for (uint32_t i = 0; i < summary.channel_cnt; i++) {
		cnt += summary.channel[i].messages;
		assert_int_equal(summary.channel[i].latency.count, summary.channel[i].messages);
		assert_int_equal(summary.channel[i].components.count, summary.channel[i].messages);
	}
	return cnt;
}

static void assert_named(struct record_address address, const char *name)
{
	put_address(address);
	put_message(address.channel, 1000);
	finish();
	assert_string_equal(channel(address.channel)->name, name);
}

TEST(a_channel_adds_up_its_messages)
{
	const struct channel_summary *seven;

	put_message(7, 1000);
	put_message(7, 3000);
	channel_book__call(book, 7);
	finish();
	assert_int_equal(summary.channel_cnt, 1);
	seven = channel(7);
	assert_int_equal(seven->messages, 2);
	assert_int_equal(seven->bytes, 128);
	assert_int_equal(seven->calls, 1);
	assert_int_equal(seven->transport, TRANSPORT_UDS);
	assert_int_equal(seven->latency.count, 2);
	assert_int_equal(seven->latency.max, 3000);
	assert_int_equal(seven->components.ns[COMPONENT_RECEIVE], 4000);
	assert_int_equal(seven->sender.pid, 10);
	assert_int_equal(seven->receiver.tid, 21);
	assert_string_equal(seven->receiver.comm, "server");
	assert_string_equal(seven->name, "");
}

static void assert_slowest(uint64_t latency_ns, uint32_t receiver)
{
	struct end_summary end;

	assert_int_equal(channel_book__slowest(book, &end), latency_ns);
	assert_int_equal(end.tid, receiver);
}

/* Also those that were folded: their receiver is not known any more. */
TEST(the_slowest_message_so_far_is_known_at_any_time)
{
	assert_slowest(0, 0);
	put_message(1, 7000);
	assert_slowest(7000, 21);
	for (uint32_t id = 2; id <= CHANNEL_BOOK_MAX + 1; id++)
		put_messages(id, 2);
	assert_slowest(7000, 0);
	put_message(CHANNEL_BOOK_MAX, 8000);
	assert_slowest(8000, 21);
}

TEST(without_messages_there_is_nothing)
{
	put_address(make_address(7, "/run/x", 0));
	channel_book__call(book, 9);
	finish();
	assert_int_equal(summary.channel_cnt, 0);
}

TEST(the_most_active_comes_first)
{
	put_messages(9, 2);
	put_messages(7, 1);
	put_messages(8, 3);
	put_messages(6, 1);
	finish();
	assert_int_equal(summary.channel_cnt, 4);
	assert_int_equal(summary.channel[0].id, 8);
	assert_int_equal(summary.channel[1].id, 9);
	assert_int_equal(summary.channel[2].id, 6);
	assert_int_equal(summary.channel[3].id, 7);
}

TEST(a_path_is_its_name)
{
	assert_named(make_address(7, "/run/x.sock", ADDRESS_OF_RECEIVER), "/run/x.sock");
}

TEST(a_receiver_has_the_part_of_the_name_that_is_its_own)
{
	struct record_address path = make_address(7, "/run/a > b.sock", ADDRESS_OF_RECEIVER);
	struct record_address ports = make_port_address(8, 40000, 80);

	assert_string_equal(channel_book__receiver(book, 7), "");
	assert_int_equal(channel_book__address(book, &path), 0);
	assert_int_equal(channel_book__address(book, &ports), 0);
	assert_string_equal(channel_book__receiver(book, 7), "/run/a > b.sock");
	assert_non_null(strstr(channel_book__receiver(book, 8), ":80"));
	assert_null(strstr(channel_book__receiver(book, 8), ":40000"));
	put_message(8, 1000);
	assert_null(strstr(channel_book__receiver(book, 8), ":40000"));
}

TEST(a_name_may_come_after_the_messages)
{
	put_message(7, 1000);
	put_address(make_address(7, "/run/x.sock", 0));
	finish();
	assert_string_equal(channel(7)->name, "/run/x.sock");
}

TEST(an_unnamed_socket_says_so)
{
	assert_named(make_address(7, "", 0), "(unnamed)");
}

TEST(an_abstract_name_begins_with_an_at_sign)
{
	struct record_address address = make_address(7, "?a?b", 0);

	address.text[0] = address.text[2] = '\0';
	assert_named(address, "@a?b");
}

TEST(an_abstract_name_may_be_nothing_else)
{
	struct record_address address = make_address(7, "?", 0);

	address.text[0] = '\0';
	assert_named(address, "@");
}

TEST(a_path_ends_at_its_nul)
{
	struct record_address address = make_address(7, "/run/x?junk", 0);

	address.text[6] = '\0';
	assert_named(address, "/run/x");
}

TEST(names_are_printable)
{
	assert_named(make_address(7, "/a\nb\033[31m\x7f\xff", 0), "/a?b?[31m??");
}

TEST(the_longest_path_has_room)
{
	struct record_address address = make_address(7, "", 0);
	char expected[ADDRESS_TEXT_LEN + 1] = {0};

	memset(address.text, 'x', sizeof(address.text));
	memset(expected, 'x', sizeof(address.text));
	address.length = UINT16_MAX; /* no record says so, but a damaged recording may */
	assert_named(address, expected);
}

TEST(ports_stand_behind_their_addresses)
{
	assert_named(make_port_address(7, 40000, 80), "127.0.0.1:40000 > 127.0.0.1:80");
}

TEST(long_addresses_stand_in_brackets)
{
	struct record_address address = make_port_address(7, 40000, 80);

	address.family = AF_INET6;
	address.length = 16;
	memset(address.text, 0, sizeof(address.text));
	address.text[15] = 1;
	inet_pton(AF_INET6, "2001:db8:1111:2222:3333:4444:5555:6666", address.text + 16);
	assert_named(address, "[::1]:40000 > [2001:db8:1111:2222:3333:4444:5555:6666]:80");
}

TEST(a_fifo_has_a_name_and_pipes_and_queues_a_number)
{
	struct record_address queue = make_file_address(9, "", 4713);

	queue.named = ADDRESS_IS_QUEUE;
	put_address(make_file_address(7, "queue", 4711));
	put_address(make_file_address(8, "", 4712));
	put_message(7, 1000);
	put_address(queue);
	put_message(8, 1000);
	put_message(9, 1000);
	finish();
	assert_string_equal(channel(7)->name, "queue");
	assert_string_equal(channel(9)->name, "queue 4713");
	assert_string_equal(channel(8)->name, "pipe:[4712]");
}

TEST(of_too_many_the_least_active_are_folded)
{
	put_messages(1, 5);
	for (uint32_t id = 2; id <= CHANNEL_BOOK_MAX; id++)
		put_message(id, 2000);
	channel_book__call(book, 2);
	put_message(CHANNEL_BOOK_MAX + 1, 1000);
	channel_book__call(book, 3); /* it is folded by now */
	finish();
	assert_int_equal(summary.channel_cnt, CHANNEL_BOOK_MAX / 2 + 2);
	assert_int_equal(channel(1)->messages, 5);
	assert_int_equal(other()->folded, CHANNEL_BOOK_MAX / 2);
	assert_string_equal(other()->name, "other");
	assert_int_equal(other()->messages, CHANNEL_BOOK_MAX / 2);
	assert_int_equal(other()->bytes, 64 * CHANNEL_BOOK_MAX / 2);
	assert_int_equal(other()->calls, 2);
	assert_int_equal(other()->latency.min, 2000);
	assert_int_equal(other()->components.ns[COMPONENT_RECEIVE], 2000 * CHANNEL_BOOK_MAX / 2);
	assert_int_equal(all_messages(), CHANNEL_BOOK_MAX + 5);
}

/* It comes last even with the most messages: it is no channel. */
TEST(what_was_folded_comes_last)
{
	for (uint32_t id = 1; id <= 4 * CHANNEL_BOOK_MAX; id++)
		put_messages(id, 3);
	finish();
	assert_true(other()->messages > summary.channel[0].messages);
	assert_int_equal(all_messages(), 12 * CHANNEL_BOOK_MAX);
	assert_int_equal(other()->folded + summary.channel_cnt - 1, 4 * CHANNEL_BOOK_MAX);
}

/* At the beginning of an attach all names come at once, and messages only later. */
TEST(names_of_many_channels_wait_for_their_messages)
{
	for (uint32_t id = 1; id <= 3 * CHANNEL_BOOK_MAX; id++)
		put_address(make_address(id, "/run/x", 0));
	put_messages(1, 2);
	put_messages(3 * CHANNEL_BOOK_MAX, 2);
	finish();
	assert_string_equal(channel(1)->name, "/run/x");
	assert_string_equal(channel(3 * CHANNEL_BOOK_MAX)->name, "/run/x");
	assert_int_equal(summary.channel_cnt, 2);
}

TEST(a_channel_keeps_its_name_when_it_comes_back)
{
	put_address(make_address(1, "/run/x", 0));
	for (uint32_t id = 1; id <= CHANNEL_BOOK_MAX + 1; id++)
		put_message(id, 1000);
	put_messages(1, 10);
	finish();
	assert_int_equal(channel(1)->messages, 10);
	assert_string_equal(channel(1)->name, "/run/x");
}

TEST(a_channel_that_is_folded_twice_is_one)
{
	uint32_t next = 2;

	for (int i = 0; i < 10; i++) {
		put_message(1, 1000);
		for (uint32_t k = 0; k < CHANNEL_BOOK_MAX; k++)
			put_messages(next++, 2);
	}
	finish();
	assert_int_equal(other()->folded + summary.channel_cnt - 1, next - 1);
	assert_int_equal(all_messages(), 10 + 2 * (next - 2));
}

TEST(names_do_not_grow_for_ever)
{
	for (uint32_t id = 1; id <= CHANNEL_BOOK_NAMES_MAX + 1; id++)
		put_address(make_address(id, "/run/x", 0));
	put_message(1, 1000);
	put_message(2, 1000);
	finish();
	assert_string_equal(channel(1)->name, "");
	assert_string_equal(channel(2)->name, "/run/x");
}

static void put_path(const char *name, const char *path)
{
	struct {
		struct record_path path;
		char text[PATH_TEXT_LEN];
	} record = {.path = {.head = {.type = RECORD_PATH, .words = RECORD_WORDS(record)},
			     .length = strlen(name)}};

	memcpy(record.path.name, name, strlen(name));
	snprintf(record.text, sizeof(record.text), "%s", path);
	assert_int_equal(channel_book__path(book, &record.path), 0);
}

/* Says what the messages of a channel show: which ends are targets. */
static void put_targets(uint32_t id, uint32_t ends)
{
	put_message(id, 1000);
	if (channel_book__guesses(book, id))
		channel_book__targets(book, id, ends);
}

TEST(a_renamed_socket_of_a_target_has_its_name_now)
{
	put_path("/run/x.sock.tmp", "/run/x.sock");
	put_address(make_address(1, "/run/x.sock.tmp", ADDRESS_OF_RECEIVER));
	put_targets(1, ADDRESS_OF_RECEIVER);
	finish();
	assert_string_equal(channel(1)->name, "/run/x.sock");
}

TEST(a_relative_name_of_a_target_becomes_its_path)
{
	put_path("rel.sock", "/srv/\x01/rel.sock");
	put_address(make_address(1, "rel.sock", ADDRESS_OF_RECEIVER));
	put_address(make_address(2, "rel.sock", ADDRESS_OF_SENDER));
	put_address(make_address(3, "rel.sock2", ADDRESS_OF_RECEIVER));
	put_address(make_address(4, "/rel.sock", ADDRESS_OF_RECEIVER));
	put_targets(1, ADDRESS_OF_RECEIVER);
	put_targets(2, ADDRESS_OF_BOTH);
	put_targets(3, ADDRESS_OF_BOTH);
	put_targets(4, ADDRESS_OF_BOTH);
	assert_string_equal(channel_book__receiver(book, 1), "/srv/?/rel.sock");
	finish();
	assert_string_equal(channel(1)->name, "/srv/?/rel.sock");
	assert_string_equal(channel(2)->name, "/srv/?/rel.sock");
	assert_string_equal(channel(3)->name, "rel.sock2");
	assert_string_equal(channel(4)->name, "/rel.sock");
}

/* A target can be the client of another program that has bound the same name elsewhere. */
TEST(the_same_name_of_another_program_stays)
{
	put_path("rel.sock", "/srv/rel.sock");
	put_address(make_address(1, "rel.sock", ADDRESS_OF_RECEIVER));
	put_address(make_address(2, "rel.sock", ADDRESS_OF_SENDER));
	put_targets(1, ADDRESS_OF_SENDER);
	put_targets(2, ADDRESS_OF_RECEIVER);
	assert_false(channel_book__guesses(book, 1));
	finish();
	assert_string_equal(channel(1)->name, "rel.sock");
	assert_string_equal(channel(2)->name, "rel.sock");
}

TEST(a_name_of_two_targets_stays)
{
	put_path("rel.sock", "/srv/rel.sock");
	put_path("rel.sock", "/opt/rel.sock");
	put_address(make_address(1, "rel.sock", ADDRESS_OF_RECEIVER));
	put_targets(1, ADDRESS_OF_RECEIVER);
	finish();
	assert_string_equal(channel(1)->name, "rel.sock");
}

TEST(there_is_room_for_some_paths)
{
	char name[16];

	for (int i = 0; i <= CHANNEL_BOOK_PATHS_MAX; i++) {
		snprintf(name, sizeof(name), "s%d", i);
		put_path(name, "/srv/s");
	}
	put_address(make_address(1, name, ADDRESS_OF_RECEIVER));
	put_targets(1, ADDRESS_OF_RECEIVER);
	put_address(make_address(2, "s0", ADDRESS_OF_RECEIVER));
	put_targets(2, ADDRESS_OF_RECEIVER);
	finish();
	assert_string_equal(channel(1)->name, name);
	assert_string_equal(channel(2)->name, "/srv/s");
}

/* Nothing follows the record, and its name is longer than it can be. */
TEST(an_impossible_path_is_no_name)
{
	struct record_path path = {.head = {.type = RECORD_PATH, .words = RECORD_WORDS(path)},
				   .length = UINT64_MAX};
	struct record_address address = make_address(1, "", ADDRESS_OF_RECEIVER);

	assert_int_equal(channel_book__path(book, &path), 0);
	put_address(address);
	put_targets(1, ADDRESS_OF_RECEIVER);
	finish();
	assert_string_equal(channel(1)->name, "(unnamed)");
}

/* Short-lived clients: each has two channels with one message, and `busy` others more. */
static void put_clients(uint32_t cnt)
{
	for (uint32_t i = 1; i <= cnt; i++) {
		struct record_address address = make_address(i, "/run/log", 0);

		address.named = ADDRESS_OF_RECEIVER;
		put_address(address);
		put_message(i, 1000);
	}
}

TEST(channels_of_one_service_are_folded_into_one)
{
	const struct channel_summary *folded;

	put_clients(CHANNEL_BOOK_MAX + 1);
	channel_book__call(book, 3); /* it is folded by now */
	finish();
	folded = other();
	assert_string_equal(folded->name, "/run/log");
	assert_int_equal(folded->transport, TRANSPORT_UDS);
	assert_int_equal(folded->folded, CHANNEL_BOOK_MAX / 2);
	assert_int_equal(folded->calls, 1);
	assert_int_equal(folded->sender.pid, 10); /* that of all */
	assert_string_equal(folded->sender.comm, "client");
	assert_int_equal(folded->receiver.pid, 20);
	assert_int_equal(all_messages(), CHANNEL_BOOK_MAX + 1);
}

/* The process is not lost with the channels of its threads. */
TEST(threads_have_the_name_of_their_process)
{
	struct record_name name = make_name(SLICE_TASK, 11, 1, "client");
	struct record_process process = make_process(11, 1, 10, "java");

	naming.names = names__new();
	assert_int_equal(names__add(naming.names, &name), 0);
	names__add_process(naming.names, &process);
	put_clients(CHANNEL_BOOK_MAX + 1);
	finish();
	assert_string_equal(other()->sender.comm, "client");
	assert_string_equal(channel_process(other(), true).comm, "java");
	assert_string_equal(channel_process(other(), false).comm, "server");
	assert_string_equal(channel_process(&summary.channel[0], true).comm, "java");
	names__free(naming.names);
	naming.names = NULL;
}

TEST(a_channel_of_a_service_may_come_back)
{
	put_clients(CHANNEL_BOOK_MAX + 1);
	put_message(1, 1000);
	put_clients(CHANNEL_BOOK_MAX + 1);
	finish();
	assert_int_equal(all_messages(), 2 * CHANNEL_BOOK_MAX + 3);
	assert_string_equal(other()->name, "/run/log");
}

TEST(too_many_services_are_other)
{
	char name[32];

	for (uint32_t i = 1; i <= 2 * CHANNEL_BOOK_MAX; i++) {
		struct record_address address;

		snprintf(name, sizeof(name), "/run/%u", i);
		address = make_address(i, name, 0);
		address.named = ADDRESS_OF_RECEIVER;
		put_address(address);
		put_message(i, 1000);
	}
	finish();
	assert_string_equal(other()->name, "other");
	assert_int_equal(other()->transport, 0);
	assert_int_equal(all_messages(), 2 * CHANNEL_BOOK_MAX);
}
