/* SPDX-License-Identifier: BSD-2-Clause */
/* What is said of threads that waited for another program when tracing ended. */
#include "support/build.h"

#include "report/words/waiting_words.h"

#include <string.h>

enum { WRITE = 1, RECVFROM = 45, FUTEX = 202 };

static struct sleeper_summary sleeper[3];
static struct summary summary;

static int setup(void **state)
{
	static const struct sleeper_summary client = {
		.thread = {.pid = 10, .tid = 10, .comm = "client"},
		.number = WRITE,
		.flags = ASLEEP_ALL_TIME | ASLEEP_ALONE | ASLEEP_IN_TARGET | ASLEEP_FOR_ROOM,
		.other = {.pid = 20, .tid = 20, .comm = "server"},
	};
	static const struct sleeper_summary server = {
		.thread = {.pid = 20, .tid = 20, .comm = "server"},
		.number = FUTEX,
		.flags = ASLEEP_ALL_TIME | ASLEEP_ALONE,
	};

	sleeper[0] = client;
	sleeper[1] = server;
	memset(&summary, 0, sizeof(summary));
	strcpy(summary.info.host.arch, "x86_64");
	summary.sleeper = sleeper;
	summary.sleeper_cnt = 2;
	return 0;
}

static int teardown(void **state)
{
	return 0;
}

EACH_TEST(setup, teardown)

static void assert_end(const char *expected)
{
	struct paragraph line = {0};

	waiting_end_words(&line, &summary);
	assert_string_equal(line.text, expected);
}

static void assert_silence(bool hangs, const char *expected)
{
	struct paragraph line = {0};

	assert_int_equal(waiting_silence_words(&line, &summary), hangs);
	assert_string_equal(line.text, expected);
}

TEST(without_such_threads_nothing_is_said)
{
	summary.sleeper_cnt = 0;
	assert_silence(false, "");
	assert_end("");
}

TEST(a_chain_names_what_its_last_one_does)
{
	assert_silence(true, "client (pid 10) waits in write for room in the channel "
			     "to server (pid 20), which sleeps in futex");
	sleeper[1].flags |= ASLEEP_STOPPED;
	assert_silence(
		true, "client (pid 10) waits in write for room in the channel to server (pid 20), "
		      "which is stopped by a signal, a debugger or a freezer. To do: find out what "
		      "stopped it, and let it go on (SIGCONT)");
	sleeper[0].flags ^= ASLEEP_FOR_ROOM | ASLEEP_FOR_DATA;
	sleeper[0].number = RECVFROM;
	assert_silence(
		true,
		"client (pid 10) waits in recvfrom for data from server (pid 20), which is "
		"stopped by a signal, a debugger or a freezer. To do: find out what stopped it, "
		"and let it go on (SIGCONT)");
}

TEST(a_circle_is_named_one)
{
	sleeper[1].flags |= ASLEEP_FOR_ROOM;
	sleeper[1].number = WRITE;
	sleeper[1].other = sleeper[0].thread;
	assert_silence(
		true,
		"client (pid 10) waits in write for room in the channel to server (pid 20), "
		"which waits in write for room in the channel to client (pid 10): a circle, "
		"in which each waits until the other receives. To do: let each end read while it "
		"waits for room (poll for both), or limit how much may be sent before an "
		"answer is read");
}

TEST(beside_messages_the_time_is_told)
{
	assert_end("");
	sleeper[0].ns = 2500000000;
	sleeper[0].flags = ASLEEP_FOR_ROOM | ASLEEP_UNREAD;
	sleeper[1].flags = 0;
	assert_end("When tracing ended, client (pid 10) had waited for 2.500 s in write for "
		   "room in the channel to server (pid 20), whose own data it has not "
		   "received, so that they find no room either: a circle. To do: let each end "
		   "read while it waits for room (poll for both), or limit how much may be "
		   "sent before an answer is read. ");
}
