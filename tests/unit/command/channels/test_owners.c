/* SPDX-License-Identifier: BSD-2-Clause */
/* Which processes hold an object, and the pipes, FIFOs and queues that follow from that. */
#include "support/build.h"
#include "support/channel_ends.h"

#include "command/list/list_view.h"
#include "command/channels/sources.h"

static const struct owner server = {812, "redis-server"};
static const struct owner worker = {813, "redis-worker"};

static struct owners owners; /* of each test */

static int teardown(void **state)
{
	owners_free(&owners);
	owners = (struct owners){0};
	return 0;
}

EACH_TEST(NULL, teardown)

static void add_socket(struct owners *owners, const struct owner *owner, uint64_t inode)
{
	struct object socket = {.kind = OBJECT_SOCKET, .inode = inode};

	owners_begin(owners, owner);
	assert_int_equal(owners_add(owners, &socket, 1u << SIDE_READ, NULL), 0);
	/* The same again, as after dup(). */
	assert_int_equal(owners_add(owners, &socket, 1u << SIDE_READ, NULL), 0);
}

TEST(several_owners_are_the_first_and_how_many)
{
	add_socket(&owners, &server, 5);
	add_socket(&owners, &worker, 5);
	assert_int_equal(owners_of(&owners, 5)->cnt, 2);
	assert_int_equal(owners_of(&owners, 5)->first.pid, 812);
	assert_string_equal(owners_of(&owners, 5)->first.comm, "redis-server");
	assert_null(owners_of(&owners, 6));
}

TEST(the_owner_that_was_asked_for_comes_first)
{
	static const pid_t pids[] = {1, 813};
	static const char *const workers[] = {"nginx", "*-worker"}, *const redis[] = {"redis-*"};
	static const struct owner_filter filters[] = {
		{.pids = pids, .pid_cnt = 2},
		{.comms = workers, .comm_cnt = 2},
		{.pids = pids, .pid_cnt = 2, .comms = redis, .comm_cnt = 1}};

	for (size_t i = 0; i < ARRAY_SIZE(filters); i++) {
		struct owners owners = {.filter = filters[i]};

		add_socket(&owners, &server, 5);
		assert_false(owners_of(&owners, 5)->wanted);
		assert_false(owners.met_filter);
		add_socket(&owners, &worker, 5);
		assert_true(owners.met_filter);
		assert_true(owners_of(&owners, 5)->wanted);
		assert_int_equal(owners_of(&owners, 5)->first.pid, 813);
		assert_int_equal(owners_of(&owners, 5)->cnt, 2);
		owners_free(&owners);
	}
}

TEST(a_filter_wants_one_process_that_has_all_of_it)
{
	static const pid_t pids[] = {812};
	static const char *const comms[] = {"*-worker"};
	struct owners owners = {
		.filter = {.pids = pids, .pid_cnt = 1, .comms = comms, .comm_cnt = 1}};

	add_socket(&owners, &server, 5);
	add_socket(&owners, &worker, 5);
	assert_false(owners_of(&owners, 5)->wanted);
	owners_free(&owners);
}

TEST(what_no_process_has_is_known)
{
	static const pid_t pids[] = {813, 814, 812};
	static const char *const comms[] = {"redis-*", "nginx", "*-server"};
	bool pid_met[3] = {false}, comm_met[3] = {false};
	struct owners owners = {.filter = {.pids = pids,
					   .pid_cnt = 3,
					   .comms = comms,
					   .comm_cnt = 3,
					   .pid_met = pid_met,
					   .comm_met = comm_met}};

	add_socket(&owners, &server, 5);
	add_socket(&owners, &worker, 5);
	assert_true(pid_met[0] && pid_met[2] && comm_met[0] && comm_met[2]);
	assert_false(pid_met[1] || comm_met[1]);
	owners_free(&owners);
}

TEST(owners_without_room_are_counted)
{
	struct object socket = {.kind = OBJECT_SOCKET};

	owners_begin(&owners, &server);
	for (socket.inode = 0; socket.inode <= OWNERS_MAX; socket.inode++)
		assert_int_equal(owners_add(&owners, &socket, 1, NULL), 0);
	assert_int_equal(owners.refused, 1);
}

static void add_held(struct owners *owners, const struct owner *owner, enum object_kind kind,
		     unsigned int sides, const char *name)
{
	struct object object = {.kind = kind, .dev = kind, .inode = 40};

	owners_begin(owners, owner);
	assert_int_equal(owners_add(owners, &object, sides, name), 0);
}

TEST(a_pipe_goes_from_its_writer_to_its_reader)
{
	struct channel_list *list = new_list();

	add_held(&owners, &server, OBJECT_PIPE, 1u << SIDE_WRITE, NULL);
	add_held(&owners, &worker, OBJECT_PIPE, 1u << SIDE_READ, NULL);
	assert_int_equal(pipes_add(&owners, true, list), 0);
	assert_connection(list, CONNECTION_OPEN, 40, 40, "");
	assert_int_equal(list->connection[0].from->holding.first.pid, 812);
	assert_int_equal(list->connection[0].to->holding.first.pid, 813);
}

/* A pipe's side without a holder is closed only if all processes were visible. */
TEST(a_side_without_a_holder_can_be_hidden)
{
	add_held(&owners, &server, OBJECT_PIPE, 1u << SIDE_WRITE, NULL);
	for (int complete = 0; complete < 2; complete++) {
		struct channel_list *list = new_list();

		assert_int_equal(pipes_add(&owners, complete, list), 0);
		assert_connection(list, complete ? CONNECTION_PEER_GONE : CONNECTION_OPEN, 40,
				  complete ? 0 : 40, "");
	}
}

TEST(fifos_and_queues_differ_by_their_device)
{
	struct channel_list *list = new_list();

	add_held(&owners, &server, OBJECT_FIFO, 3, "/run/fifo");
	add_held(&owners, &server, OBJECT_MQUEUE, 1u << SIDE_READ, "/queue");
	add_held(&owners, &server, OBJECT_PIPE, 0, NULL); /* O_PATH */
	assert_int_equal(pipes_add(&owners, true, list), 0);
	pair_all(list);
	assert_int_equal(list->connection_cnt, 2);
	assert_int_equal(list->connection[0].transport, TRANSPORT_FIFO);
	assert_string_equal(list->connection[0].to->name, "/run/fifo");
	assert_int_equal(list->connection[1].transport, TRANSPORT_MQUEUE);
	/* A queue exists without a writer. */
	assert_int_equal(list->connection[1].state, CONNECTION_OPEN);
}
