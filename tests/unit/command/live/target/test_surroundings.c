/* SPDX-License-Identifier: BSD-2-Clause */
/* What targets have open, and what takes their place. */
#include "support/build.h"

#include "command/live/target/surroundings.h"
#include "model/record_decode.h"

#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

/* An abstract name that no other process has. */
static socklen_t own_address(struct sockaddr_un *address)
{
	*address = (struct sockaddr_un){.sun_family = AF_UNIX};
	return offsetof(struct sockaddr_un, sun_path) + 1 +
	       (socklen_t)sprintf(address->sun_path + 1, "surroundings-%d", getppid());
}

static void serve(int ready)
{
	int server = socket(AF_UNIX, SOCK_STREAM, 0), client = socket(AF_UNIX, SOCK_STREAM, 0);
	struct sockaddr_un address;
	socklen_t length = own_address(&address);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "the-server");
	if (bind(server, (void *)&address, length) || listen(server, 5) ||
	    connect(client, (void *)&address, length) || accept(server, NULL, NULL) < 0)
		_exit(1);
	if (write(ready, "x", 1) == 1)
		pause();
	_exit(1);
}

/* A process that listens at the name, and has a connection to itself. */
static pid_t start_server(void)
{
	int ready[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (!pid)
		serve(ready[1]);
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void assert_named(const char *name)
{
	char expected[64];

	snprintf(expected, sizeof(expected), "@surroundings-%d", getpid());
	assert_string_equal(name, expected);
}

TEST(a_target_that_runs_has_its_channels)
{
	pid_t pid = start_server();
	struct surroundings before = {0};
	struct targets targets = {0};
	struct found_with_name found;

	assert_int_equal(targets_add(&targets, pid), 0);
	assert_int_equal(targets_watch(&targets), 0);
	surroundings_note(&before, &targets);
	assert_int_equal(before.cnt, 1);
	assert_named(before.at[0].shown);
	/* An absolute or abstract name needs no PATH record. */
	assert_int_equal(before.at[0].length, 0);
	assert_true(surroundings_find(&before, &targets, &found));
	assert_int_equal(found.found.targets, 1);
	assert_int_equal(found.found.services, 1);
	/* Its connection to itself is none: no other process can use it. */
	assert_int_equal(found.found.connections, 0);
	assert_int_equal(found.found.pid, 0);
	assert_named(found.name);
	end(pid);
	targets_free(&targets);
}

TEST(the_process_that_takes_its_place_is_found)
{
	pid_t pid = start_server();
	struct surroundings before = {0};
	struct targets targets = {0};
	struct found_with_name found;

	assert_int_equal(targets_add(&targets, pid), 0);
	assert_int_equal(targets_watch(&targets), 0);
	assert_int_equal(targets_threads(&targets), 1);
	surroundings_note(&before, &targets);
	end(pid);
	assert_true(surroundings_find(&before, &targets, &found));
	assert_int_equal(found.found.targets, 0);
	assert_int_equal(found.found.pid, 0);
	assert_named(found.name);
	pid = start_server();
	assert_true(surroundings_find(&before, &targets, &found));
	assert_int_equal(found.found.pid, pid);
	assert_string_equal(found.found.comm, "the-server");
	assert_int_equal(found.found.transport, TRANSPORT_UDS_STREAM);
	assert_int_equal(found.found.services, 0);
	assert_named(found.name);
	end(pid);
	targets_free(&targets);
}

TEST(without_targets_nothing_is_known)
{
	struct surroundings before = {0};
	struct targets targets = {0};
	struct found_with_name found;

	surroundings_note(&before, &targets);
	assert_int_equal(before.cnt, 0);
	assert_false(surroundings_find(&before, &targets, &found));
}

static int put_on_tape(void *ctx, const struct record *record)
{
	tape_add(ctx, record);
	return 0;
}

TEST(a_relative_name_has_a_record)
{
	struct surroundings before = {
		.at = {{.shown = "/run/a"}, {.shown = "/srv/b", .length = 3, .name = "./b"}},
		.cnt = 2};
	struct tape tape = {0};
	const struct record_path *path;

	assert_int_equal(surroundings_put_paths(&before, put_on_tape, &tape), 0);
	assert_int_equal(tape.cnt, 1);
	path = (const void *)tape.record[0];
	assert_int_equal(path->length, 3);
	assert_memory_equal(path->name, "./b", 3);
	assert_string_equal((const char *)(path + 1), "/srv/b");
	assert_int_equal(record_check(tape.record[0], record_size(tape.record[0])),
			 record_size(tape.record[0]));
	tape_free(&tape);
}
