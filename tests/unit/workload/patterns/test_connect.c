/* SPDX-License-Identifier: BSD-2-Clause */
/* The client of the pattern connect, with connections that the test makes, and a server without
 * room for notes. */
#include "support/build.h"
#include "support/capture.h"

#include "util/clock.h"
#include "workload/member/member.h"
#include "workload/pattern.h"
#include "workload/workload.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define PERIOD_NS 1000000

#define TEXT_SIZE 64

/* What the next connections are: a text, or -errno. */
struct supply {
	char text[8][2 * TEXT_SIZE];
	ssize_t size[8];
	size_t cnt, used;
};

static struct supply supply;

static void supply_error(int err)
{
	supply.size[supply.cnt++] = err;
}

static char *supply_text(uint64_t number, size_t size)
{
	char *text = supply.text[supply.cnt];
	struct message_header header = {
		.client = LINK_SERVER, .size = TEXT_SIZE, .number = number, .stamp_ns = 7};

	message_make(text, TEXT_SIZE, &header);
	supply.size[supply.cnt++] = (ssize_t)size;
	return text;
}

static int supply_connect(struct medium *medium)
{
	size_t i = supply.used++;
	int ends[2];

	(void)medium;
	assert_true(i < supply.cnt);
	if (supply.size[i] < 0)
		return (int)supply.size[i];
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	assert_int_equal(write(ends[1], supply.text[i], (size_t)supply.size[i]), supply.size[i]);
	close(ends[1]);
	return ends[0];
}

static const struct transport_ops supply_transport = {
	.name = "supply", .is_stream = true, .connect = supply_connect};

/*
 * Runs a client over so many connections, until it ends with that status. Its memory, which has its
 * counts, is the caller's.
 */
static struct shared *supply_use_until(uint64_t connections, int status)
{
	const struct shared_plan shared_plan = {.clients = 1, .journal = 64};
	struct plan plan = {.transport = &supply_transport,
			    .pattern = pattern_find("connect"),
			    .spec = {.clients = 1, .size = TEXT_SIZE},
			    .rounds = connections,
			    .message_max = TEXT_SIZE,
			    .notes = 1};
	struct worker worker = {.plan = &plan, .shared = shared_new(&shared_plan), .number = 1};
	struct client client = {.worker = &worker};

	word_raise(&worker.shared->gate, GATE_GO);
	assert_int_equal(links_open(&client.links, &worker), 0);
	client.link = client.links.link;
	assert_int_equal(plan.pattern->client(&client), status);
	links_close(&client.links);
	assert_int_equal(supply.used, supply.cnt);
	return worker.shared;
}

static struct shared *supply_use(uint64_t connections)
{
	return supply_use_until(connections, EXIT_SUCCESS);
}

static void check_counts(struct shared *shared, uint64_t sent, uint64_t received, uint64_t corrupt)
{
	struct direction *direction = &shared->slots[1].direction[TO_CLIENT];

	assert_int_equal(direction->sent, sent);
	assert_int_equal(direction->received, received);
	assert_int_equal(direction->corrupt, corrupt);
	assert_int_equal(shared->slots[1].journal.written, received - corrupt);
}

static int supply_reset(void **state)
{
	supply = (struct supply){.cnt = 0};
	return 0;
}

EACH_TEST(supply_reset, NULL)

TEST(a_text_says_when_it_was_sent_and_is_counted_by_its_client)
{
	struct shared *shared;
	union journal_entry *entries;

	supply_text(17, TEXT_SIZE);
	supply_text(4, TEXT_SIZE);
	shared = supply_use(2);
	check_counts(shared, 2, 2, 0);
	entries = shared->slots[1].journal.entries;
	for (uint64_t i = 0; i < 2; i++) {
		assert_int_equal(entries[i].stamp.index, i);
		assert_int_equal(entries[i].stamp.round, i);
		assert_int_equal(entries[i].stamp.stamp_ns, 7);
		assert_int_equal(entries[i].stamp.client, 1);
	}
	shared_free(shared);
}

TEST(a_text_that_is_wrong_in_any_way_is_corrupt)
{
	struct shared *shared;

	supply_text(0, TEXT_SIZE - 1);
	supply_text(1, TEXT_SIZE + 1);
	supply_text(2, 1);
	supply_text(3, TEXT_SIZE)[TEXT_SIZE - 1] ^= 1;
	supply_text(4, TEXT_SIZE)[0] ^= 1;
	supply_text(5, TEXT_SIZE);
	shared = supply_use(6);
	check_counts(shared, 6, 6, 5);
	assert_int_equal(shared->slots[1].journal.entries[0].stamp.index, 5);
	shared_free(shared);
}

TEST(a_connection_without_a_text_has_lost_it)
{
	struct shared *shared;

	supply_text(0, 0);
	supply_text(1, TEXT_SIZE);
	shared = supply_use(2);
	check_counts(shared, 2, 1, 0);
	shared_free(shared);
}

TEST(a_connection_that_is_refused_is_tried_again_and_counted)
{
	struct shared *shared;

	supply_error(-ECONNREFUSED);
	supply_error(-EAGAIN);
	supply_error(-EADDRNOTAVAIL);
	supply_text(0, TEXT_SIZE);
	supply_error(-EAGAIN);
	supply_text(1, TEXT_SIZE);
	shared = supply_use(2);
	check_counts(shared, 2, 2, 0);
	assert_int_equal(shared->slots[1].retries, 4);
	shared_free(shared);
}

TEST(a_connection_that_never_can_be_made_ends_its_client)
{
	struct shared *shared;

	supply_text(0, TEXT_SIZE);
	supply_error(-EMFILE);
	shared = supply_use_until(3, EXIT_FAILURE);
	check_counts(shared, 1, 1, 0);
	assert_int_equal(shared_failed(shared), EMFILE);
	assert_has(shared->failure_text, "cannot connect: supply of ipctrace-cl-1: ");
	shared_free(shared);
}

static int discard(void *ctx, const struct record *record)
{
	(void)ctx;
	(void)record;
	return 0;
}

/* The next message may come from any client, so every journal must have room. */
TEST_WITH(a_server_receives_nothing_that_it_cannot_note, NULL, NULL)
{
	const struct shared_plan shared_plan = {.clients = 2, .journal = 64, .serving = 64};
	struct plan plan = {.transport = &supply_transport,
			    .pattern = pattern_find("connect"),
			    .spec = {.clients = 2, .size = TEXT_SIZE},
			    .message_max = TEXT_SIZE,
			    .notes = 1};
	struct worker worker = {.plan = &plan, .shared = shared_new(&shared_plan)};
	const union journal_entry entry = {.head.words = 1};
	struct journal *full = &worker.shared->slots[2].serving;
	struct links links;
	pid_t server;
	int status;

	assert_int_equal(links_open(&links, &worker), 0);
	while (journal_room(full))
		journal_write(full, &entry);
	server = fork();
	if (server == 0) {
		record_room_await_any(&links);
		_exit(EXIT_SUCCESS);
	}
	for (int i = 0; i < 20; i++) {
		clock_sleep_until(clock_now_ns() + PERIOD_NS);
		assert_int_equal(waitpid(server, &status, WNOHANG), 0);
	}
	assert_int_equal(journal_drain(full, discard, NULL), 0);
	assert_int_equal(waitpid(server, &status, 0), server);
	assert_int_equal(status, 0);
	links_close(&links);
	shared_free(worker.shared);
}
