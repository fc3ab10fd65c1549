/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums of system calls that fail, by hand. */
#include "support/build.h"

#include "analysis/attach/failing.h"
#include "model/members/members.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { THREAD = 901, OTHER = 902, RECVFROM = 45, ACCEPT = 288, CHANNEL = 7, PORT = 80 };

static struct failing *failing;
static struct threads *threads;
static struct summary summary;

static int setup(void **state)
{
	memset(&summary, 0, sizeof(summary));
	threads = threads__new();
	failing = failing__new();
	return !failing || !threads;
}

static int teardown(void **state)
{
	failing__free(failing);
	threads__free(threads);
	free(summary.failing);
	return 0;
}

EACH_TEST(setup, teardown)

static struct record_failed failed(uint32_t tid, uint32_t number, uint32_t cnt, uint64_t ns)
{
	struct record_failed record = {
		.head = record_head(RECORD_FAILED, sizeof(record), 0, tid),
		.number = number,
		.cnt = cnt,
		.from_ns = 1000,
		.to_ns = 5000,
		.ns = ns,
	};

	record.head.flags = EAGAIN;
	return record;
}

static void finish(uint32_t cnt)
{
	const struct naming naming = {.threads = threads};

	assert_int_equal(failing__finish(failing, &naming, &summary), 0);
	assert_int_equal(summary.failing_cnt, cnt);
}

TEST(nothing_has_failed)
{
	finish(0);
	assert_null(summary.failing);
}

TEST(calls_are_added_up_by_thread_number_error_and_socket)
{
	struct record_failed one = failed(THREAD, RECVFROM, 20, 300), reset = one, other = one;

	one.family = FAMILY_UNIX;
	one.inode = 77;
	reset.head.flags = ECONNRESET;
	other.head.tid = OTHER;
	other.ns = 1000;
	assert_int_equal(failing__add(failing, &one), 0);
	assert_int_equal(failing__add(failing, &reset), 0);
	assert_int_equal(failing__add(failing, &other), 0);
	assert_int_equal(failing__add(failing, &one), 0);
	finish(3);
	/* The most CPU time first. */
	assert_int_equal(summary.failing[0].thread.tid, OTHER);
	assert_int_equal(summary.failing[1].count, 40);
	assert_int_equal(summary.failing[1].ns, 600);
	assert_int_equal(summary.failing[1].error, EAGAIN);
	assert_false(summary.failing[1].has_channel);
	assert_int_equal(summary.failing[2].error, ECONNRESET);
}

/* Both ends of a TCP connection, the pipe and the unix socket of a channel; not other ones. */
TEST(a_socket_has_the_channel_of_its_address)
{
	struct record_failed client = failed(THREAD, RECVFROM, 20, 50), server = client,
			     pipe = client, many = client, listener = client;
	const struct record_address tcp = {.channel = CHANNEL,
					   .family = FAMILY_INET,
					   .sender_port = 40000,
					   .receiver_port = PORT};
	const struct record_address file = {.channel = CHANNEL + 1, .inode = 77};

	assert_int_equal(failing__address(failing, &tcp), 0);
	assert_int_equal(failing__address(failing, &file), 0);
	client.family = server.family = listener.family = FAMILY_INET;
	client.port = server.peer_port = 40000;
	client.peer_port = server.port = listener.port = PORT;
	client.inode = server.inode = pipe.inode = 77;
	server.ns = 40;
	pipe.ns = 30;
	many.ns = 20;
	listener.ns = 10;
	assert_int_equal(failing__add(failing, &client), 0);
	assert_int_equal(failing__add(failing, &server), 0);
	assert_int_equal(failing__add(failing, &pipe), 0);
	assert_int_equal(failing__add(failing, &many), 0);
	assert_int_equal(failing__add(failing, &listener), 0);
	finish(5);
	assert_true(summary.failing[0].has_channel);
	assert_int_equal(summary.failing[0].channel, CHANNEL);
	assert_int_equal(summary.failing[0].port, 40000);
	assert_true(summary.failing[1].has_channel);
	assert_int_equal(summary.failing[1].channel, CHANNEL);
	assert_true(summary.failing[2].has_channel);
	assert_int_equal(summary.failing[2].channel, CHANNEL + 1);
	assert_false(summary.failing[3].has_channel);
	assert_false(summary.failing[4].has_channel);
	assert_int_equal(summary.failing[4].port, PORT);
}
