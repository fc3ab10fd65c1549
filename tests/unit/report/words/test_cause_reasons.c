/* SPDX-License-Identifier: BSD-2-Clause */
/* The words for what is known of a time beyond its culprit. */
#include "support/test.h"

#include "model/blocked_calls.h"
#include "report/words/explain/cause_words.h"

#include <string.h>

enum { EPOLL_WAIT = 232 }; /* on x86-64 */

static const struct run_info info = {.host.arch = "x86_64"};

static struct explain_row row_with(enum cause_reason reason)
{
	return (struct explain_row){
		.cost = COMPONENT_BLOCKED,
		.role = CAUSE_ITSELF,
		.call = EPOLL_WAIT,
		.reason = reason,
		.asked_least_ns = 250000000,
		.asked_most_ns = 250000000,
	};
}

static void assert_words(const struct explain_row *row, const char *clause, const char *label)
{
	char words[CLAUSE_LEN];

	row_clause(&info, row, "it", words);
	assert_string_equal(words, clause);
	row_label(&info, row, CLAUSE_LEN, words);
	assert_string_equal(words, label);
}

TEST(a_timeout_has_its_call_and_its_time)
{
	struct explain_row row = row_with(REASON_TIMEOUT);

	assert_words(&row, "it sleeps in epoll_wait until its own timeout of 250.0 ms ends",
		     "in epoll_wait until its own timeout of 250.0 ms");
	row.asked_least_ns = 20000000;
	assert_words(&row,
		     "it sleeps in epoll_wait until its own timeout of 20.0 ms to 250.0 ms ends",
		     "in epoll_wait until its own timeout of 20.0 ms to 250.0 ms");
}

TEST(what_is_not_known_is_left_out)
{
	struct explain_row row = row_with(REASON_TIMEOUT);

	row.call = CALL_UNKNOWN;
	row.asked_least_ns = row.asked_most_ns = 0;
	assert_words(&row, "it sleeps until its own timeout ends", "until its own timeout");
}

TEST(a_pause_after_a_failed_call_names_it)
{
	struct explain_row row = row_with(REASON_TRIED);

	row.failed = (struct failed_call){.number = 72, .error = 11};
	assert_words(&row,
		     "it sleeps in epoll_wait until its own timeout of 250.0 ms ends, after fcntl "
		     "has failed (EAGAIN)",
		     "in epoll_wait, after fcntl has failed (EAGAIN)");
	row.failed = (struct failed_call){0}; /* several */
	assert_words(&row,
		     "it sleeps in epoll_wait until its own timeout of 250.0 ms ends, after a call "
		     "has failed",
		     "in epoll_wait, after a call has failed");
}

TEST(a_timeout_beside_data_says_so)
{
	const struct explain_row row = row_with(REASON_TIMEOUT_DATA);

	assert_words(&row,
		     "it sleeps in epoll_wait until its own timeout of 250.0 ms ends, although the "
		     "data are there",
		     "in epoll_wait until its own timeout of 250.0 ms, data ready");
}

TEST(what_lets_a_thread_go_on_is_named_if_it_is_known)
{
	struct explain_row row = row_with(REASON_FROZEN);

	assert_words(&row, "it is frozen with its control group", "frozen");
	row.role = CAUSE_WOKE;
	row.by = (struct blame){
		.class = BLAME_TASK, .tid = 12, .pid = 12, .comm = "pauser", .priority = 120};
	assert_words(&row,
		     "it is frozen with its control group until pauser (pid 12, nice 0) lets it go "
		     "on",
		     "frozen until pauser (pid 12, nice 0) lets it go on");
	row.reason = REASON_KERNEL_MUTEX;
	assert_words(
		&row,
		"it waits in epoll_wait for a lock of the kernel (mutex) until pauser (pid 12, "
		"nice 0) lets it go on",
		"a mutex of the kernel until pauser (pid 12, nice 0) lets it go on");
}

TEST(the_function_that_waits_for_a_lock_is_named_if_it_is_known)
{
	struct explain_row row = row_with(REASON_KERNEL_RWSEM);

	assert_words(&row, "it waits in epoll_wait for a lock of the kernel (rwsem)",
		     "a rwsem of the kernel");
	strcpy(row.function, "pipe_write");
	assert_words(&row, "it waits in epoll_wait for a lock of the kernel (rwsem) in pipe_write",
		     "a rwsem of the kernel in pipe_write");
	strcpy(row.function, "vm_mmap_pgoff");
	assert_words(&row,
		     "it waits in epoll_wait for a lock of the kernel (rwsem) in vm_mmap_pgoff "
		     "(mmap_lock)",
		     "a rwsem of the kernel in vm_mmap_pgoff (mmap_lock)");
	row.reason = REASON_KERNEL_SEMAPHORE;
	assert_words(&row, "it waits in epoll_wait for a semaphore of the kernel in vm_mmap_pgoff",
		     "a semaphore of the kernel in vm_mmap_pgoff");
	row.reason = REASON_KERNEL_SPIN;
	assert_words(&row,
		     "it waits in epoll_wait for a lock of the kernel (spinlock) in vm_mmap_pgoff",
		     "a spinlock of the kernel in vm_mmap_pgoff");
}

TEST(slack_is_no_part_of_what_was_asked_for)
{
	struct explain_row row = row_with(REASON_SLACK);

	row.asked_least_ns = row.asked_most_ns = 50000;
	assert_words(
		&row,
		"it sleeps in epoll_wait longer than it asked for, by a timer slack of 50.0 us",
		"timer slack of 50.0 us in epoll_wait");
}

TEST(a_reserve_has_the_cpu_and_the_culprit)
{
	struct explain_row row = {.cost = COMPONENT_RUNQUEUE,
				  .role = CAUSE_RAN,
				  .call = CALL_UNKNOWN,
				  .reason = REASON_RESERVE,
				  .by = {.class = BLAME_TASK,
					 .kind = SLICE_TASK,
					 .tid = 7,
					 .pid = 7,
					 .priority = 120,
					 .comm = "hog"}};

	assert_words(&row,
		     "it waits for CPU 0 behind hog (pid 7, nice 0), though it is a real-time "
		     "thread: the kernel reserves time for ordinary ones (fair server; before "
		     "Linux 6.12, sched_rt_runtime_us)",
		     "behind hog (pid 7, nice 0), the kernel's reserve");
	row.by.cpu = BLAME_CPU_SEVERAL;
	assert_words(&row,
		     "it waits for a CPU behind hog (pid 7, nice 0), though it is a real-time "
		     "thread: the kernel reserves time for ordinary ones (fair server; before "
		     "Linux 6.12, sched_rt_runtime_us)",
		     "behind hog (pid 7, nice 0), the kernel's reserve");
}

TEST(a_disk_has_its_name_and_who_keeps_it_busy)
{
	struct explain_row row = row_with(REASON_DISK);

	assert_words(&row, "it sleeps in epoll_wait for a disk", "in epoll_wait for a disk");
	strcpy(row.disk, "vda");
	assert_words(&row, "it sleeps in epoll_wait for vda", "in epoll_wait for vda");
	row.reason = REASON_DISK_BUSY;
	row.role = CAUSE_KEPT;
	row.by = (struct blame){.class = BLAME_TASK, .tid = 9, .comm = "backup"};
	assert_words(&row,
		     "it sleeps in epoll_wait for vda, which is busy with requests of backup "
		     "(pid 9)",
		     "in epoll_wait for vda, busy for backup (pid 9)");
	row = row_with(REASON_DISK_PAGE);
	row.call = CALL_OUTSIDE;
	assert_words(&row, "it sleeps until memory that is not there has been read from a disk",
		     "until memory has been read from a disk");
}
