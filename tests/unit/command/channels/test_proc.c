/* SPDX-License-Identifier: BSD-2-Clause */
/* The pass over /proc for `ipctrace list`: the real one and a prepared one. */
#include "support/test.h"

#include "support/machine.h"

#include "command/channels/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* This process, as /proc shows it. */
TEST(the_ends_of_this_process_are_found)
{
	const pid_t self = getpid();
	struct owners owners = {.filter = {.pids = &self, .pid_cnt = 1}};
	static struct networks networks;
	struct proc_gaps gaps;
	int pair[2], pipes[2];
	const struct owned *owned;
	struct stat socket, pipe_stat;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
	assert_int_equal(proc_read("/proc", NULL, 0, &owners, &networks, &gaps), 0);
	fstat(pair[0], &socket);
	fstat(pipes[0], &pipe_stat);
	assert_int_equal(owners_of(&owners, socket.st_ino)->first.pid, getpid());
	assert_memory_equal(owners_of(&owners, socket.st_ino)->first.comm, "test_proc", 10);
	for (owned = owners.owned; owned; owned = owned->hh.next) {
		if (owned->object.kind == OBJECT_PIPE && owned->object.inode == pipe_stat.st_ino)
			break;
	}
	assert_non_null(owned);
	assert_int_equal(owned->by[SIDE_READ].cnt, 1);
	assert_int_equal(owned->by[SIDE_WRITE].cnt, 1);
	assert_true(networks.cnt >= 1);
	for (int i = 0; i < 2; i++) {
		close(pair[i]);
		close(pipes[i]);
	}
	owners_free(&owners);
}

static void put_file(const char *path, const char *text)
{
	assert_int_equal(machine_put(path, text), 0);
}

/* A /proc in which a process ended between its listing and its reading, without descriptors. */
TEST_WITH(a_process_that_is_gone_was_never_there, machine_make, machine_remove)
{
	const pid_t gone = 41;
	struct owners owners = {.filter = {.pids = &gone, .pid_cnt = 1}};
	static struct networks networks;
	struct proc_gaps gaps;

	put_file("/41/status", "");
	put_file("/not a process/fd", "");
	assert_int_equal(machine_link("/42/fd/3", "socket:[5]"), 0);
	assert_int_equal(machine_link("/42/fd/4", "socket:[6"), 0);
	assert_int_equal(machine_link("/42/fd/5", "anon_inode:[eventpoll]"), 0);
	assert_int_equal(machine_link("/42/fd/6", "/gone (deleted)"), 0);
	assert_int_equal(proc_read(machine_root(), NULL, 0, &owners, &networks, &gaps), 0);
	assert_int_equal(gaps.hidden, 0);
	assert_false(gaps.hid_pid);
	assert_int_equal(owners_of(&owners, 5)->first.pid, 42);
	assert_string_equal(owners_of(&owners, 5)->first.comm, "");
	assert_null(owners_of(&owners, 6));
	assert_int_equal(HASH_COUNT(owners.owned), 1);
	owners_free(&owners);
}

/*
 * Processes with hidden descriptors. A kernel thread and a zombie have none, and a name can contain
 * ")".
 */
TEST_WITH(hidden_processes_are_counted_except_kernel_threads, machine_make, machine_remove)
{
	const pid_t kernel = 43, other = 44;
	struct owners owners = {.filter = {.pids = &kernel, .pid_cnt = 1}};
	static struct networks networks;
	struct proc_gaps gaps;

	put_file("/43/fd", "");
	put_file("/43/stat", "43 (kworker/0:1) I 2 0 0 0 -1 69238880 0 0 0");
	put_file("/44/fd", "");
	put_file("/44/stat", "44 (a) b 2097152) S 1 1 1 0 -1 4194560 2097152 0 0");
	put_file("/45/fd", "");
	put_file("/46/fd", "");
	put_file("/46/stat", "46 (gone) Z 1 1 1 0 -1 4194560 0 0 0");
	assert_int_equal(proc_read(machine_root(), NULL, 0, &owners, &networks, &gaps), 0);
	assert_int_equal(gaps.hidden, 2);
	assert_false(gaps.hid_pid);
	owners.filter.pids = &other;
	assert_int_equal(proc_read(machine_root(), NULL, 0, &owners, &networks, &gaps), 0);
	assert_int_equal(gaps.hid_pid, 44);
	owners_free(&owners);
}

TEST_WITH(a_hidden_target_is_known, machine_make, machine_remove)
{
	const pid_t targets[] = {41, 44}, others[] = {41, 45};
	struct owners owners = {.filter = {.pids = targets, .pid_cnt = 2}};
	static struct networks networks;
	struct proc_gaps gaps;

	put_file("/44/fd", "");
	assert_int_equal(proc_read(machine_root(), NULL, 0, &owners, &networks, &gaps), 0);
	assert_true(gaps.hid_pid);
	owners.filter.pids = others;
	assert_int_equal(proc_read(machine_root(), NULL, 0, &owners, &networks, &gaps), 0);
	assert_int_equal(gaps.hidden, 1);
	assert_false(gaps.hid_pid);
	owners_free(&owners);
}

TEST(a_proc_that_is_not_there_is_an_error)
{
	struct owners owners = {0};
	static struct networks networks;
	struct proc_gaps gaps;

	assert_int_equal(proc_read("/no/such/proc", NULL, 0, &owners, &networks, &gaps), -ENOENT);
	owners_free(&owners);
}

TEST(namespaces_are_counted_once)
{
	static struct networks networks;

	for (uint64_t i = 0; i < 2 * (NETWORKS_MAX + 2); i++)
		networks_add(&networks, 1 + i % (NETWORKS_MAX + 2), 100 + i);
	assert_int_equal(networks.cnt, NETWORKS_MAX);
	assert_int_equal(networks.network[0].pid, 100);
	assert_true(networks.unreached >= 2);
	networks.network[1] = (struct network){.inode = 1, .pid = getpid()};
	assert_int_equal(network_open_diag(&networks, 1), -ESRCH);
}
