/* SPDX-License-Identifier: BSD-2-Clause */
/* Which function of the kernel waited for a lock. */
#include "support/build.h"

#include "stacks/lock_names.h"
#include "support/machine.h"

#include <stdio.h>

#define NAMES(...)                                                                                 \
	(const char *const[]){__VA_ARGS__}, ARRAY_SIZE(((const char *const[]){__VA_ARGS__}))

#define TRACING "bpf_prog_37_on_lock_end [bpf]", "bpf_trace_run2", "__traceiter_contention_end"

/* As on Linux 6.18. */
TEST(what_takes_the_lock_is_left_out)
{
	assert_int_equal(frames_of_locking(NAMES(TRACING, "rwsem_down_write_slowpath", "down_write",
						 "shmem_file_write_iter", "vfs_write")),
			 5);
	assert_int_equal(frames_of_locking(NAMES(TRACING, "__mutex_lock.constprop.0",
						 "unix_stream_read_generic")),
			 4);
	assert_int_equal(frames_of_locking(NAMES(TRACING, "native_queued_spin_lock_slowpath",
						 "_raw_spin_lock", "unix_stream_sendmsg")),
			 5);
	assert_int_equal(frames_of_locking(NAMES(TRACING, "__down_common", "down", "console_lock")),
			 5);
}

/* The spinlock in the lock of a socket. */
TEST(the_lock_of_a_socket_is_taken_for_its_caller)
{
	assert_int_equal(
		frames_of_locking(NAMES(TRACING, "native_queued_spin_lock_slowpath",
					"_raw_spin_lock_bh", "lock_sock_nested", "tcp_sendmsg")),
		6);
}

/* Spinlocks of PREEMPT_RT. */
TEST(a_mutex_may_stand_for_a_spinlock)
{
	assert_int_equal(frames_of_locking(NAMES(TRACING, "rtlock_slowlock_locked", "rt_spin_lock",
						 "skb_queue_tail")),
			 5);
}

/* Functions further out may take locks, or be those of BPF. */
TEST(only_what_is_innermost_is_left_out)
{
	assert_int_equal(frames_of_locking(NAMES("down_write", "bpf_map_update", "mutex_lock")), 1);
	assert_int_equal(frames_of_locking(NAMES("downgrade_write", "down_write")), 0);
	assert_int_equal(frames_of_locking(NAMES("mutex_lock", NULL, "pipe_write")), 1);
	assert_int_equal(frames_of_locking(NAMES(TRACING, "down_read")), 4);
	assert_int_equal(frames_of_locking(NULL, 0), 0);
}

/* What the names come to that the kernel shows, in so much room. */
static void assert_found(const char *symbols, size_t size, const char *expected)
{
	const uint64_t address[] = {0xffffffff81000010, 0xffffffff81000110};
	struct lock_names *names;
	char function[64] = "?";
	char path[256];

	assert_int_equal(machine_put("/proc/kallsyms", symbols), 0);
	snprintf(path, sizeof(path), "%s/proc/kallsyms", machine_root());
	names = lock_names__new(path);
	assert_non_null(names);
	lock_names__find(names, address, ARRAY_SIZE(address), function, size);
	assert_string_equal(function, expected);
	lock_names__free(names);
}

#define MUTEX "ffffffff81000000 t __mutex_lock.constprop.0\n"

TEST_WITH(a_name_ends_where_the_compiler_adds_to_it, machine_make, machine_remove)
{
	assert_found(MUTEX "ffffffff81000100 t pipe_write.isra.0\n", 64, "pipe_write");
	assert_found(MUTEX "ffffffff81000100 t ext4_write.cold\t[ext4]\n", 64, "ext4_write");
	assert_found(MUTEX "ffffffff81000100 t ext4_write\t[ext4]\n", 64, "ext4_write [ext4]");
}

TEST_WITH(a_long_name_is_cut, machine_make, machine_remove)
{
	assert_found(MUTEX "ffffffff81000100 t ext4_write\t[ext4]\n", 18, "ext4_write [ext4]");
	assert_found(MUTEX "ffffffff81000100 t ext4_write\t[ext4]\n", 17, "ext4_write");
	assert_found(MUTEX "ffffffff81000100 t ext4_write\t[ext4]\n", 5, "ext4");
}

TEST_WITH(a_function_may_not_be_known, machine_make, machine_remove)
{
	assert_found(MUTEX, 64, "");
	assert_found("0000000000000000 t hidden\n", 64, "");
	assert_found("", 64, "");
}
