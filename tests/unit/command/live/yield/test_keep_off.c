/* SPDX-License-Identifier: BSD-2-Clause */
/* The CPUs that the reader keeps off while tracing starts, by prepared files of threads. */
#include "support/build.h"
#include "support/machine.h"

#include "command/live/yield/keep_off.h"

#include <stdio.h>
#include <unistd.h>

#define TARGET 4711

/* A thread that ran last on `cpu`. Its name has blanks, brackets and a newline. */
static void put_thread(int tid, unsigned int user, unsigned int system, unsigned int cpu)
{
	char path[64], text[512];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", TARGET, tid);
	snprintf(
		text, sizeof(text),
		"%d (a) b\n(c) S 1 2 3 4 5 6 7 8 9 10 %u %u 16 17 18 19 20 21 22 23 24 25 26 27 28 "
		"29 30 31 32 33 34 35 36 37 38 %u 40 41 42\n",
		tid, user, system, cpu);
	assert_int_equal(machine_put(path, text), 0);
}

static struct cpu_use use_of_target(void)
{
	struct cpu_use use = {};

	cpu_use_add(&use, machine_root(), TARGET);
	return use;
}

/* CPUs 0 to 3. */
static cpu_set_t four_cpus(void)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	for (int cpu = 0; cpu < 4; cpu++)
		CPU_SET(cpu, &cpus);
	return cpus;
}

TEST_WITH(a_process_that_has_ended_uses_no_cpu, machine_make, machine_remove)
{
	struct cpu_use use = use_of_target();
	cpu_set_t cpus = four_cpus();

	assert_false(cpu_use_avoid(&use, &cpus));
	assert_int_equal(CPU_COUNT(&cpus), 4);
}

TEST_WITH(times_of_threads_add_up_by_their_last_cpu, machine_make, machine_remove)
{
	struct cpu_use use;

	/* And one for each thread: the tick that it has begun. */
	put_thread(4711, 20, 10, 1);
	put_thread(4712, 1, 2, 1);
	put_thread(4713, 4, 0, 3);
	use = use_of_target();
	assert_int_equal(use.ticks[0], 0);
	assert_int_equal(use.ticks[1], 35);
	assert_int_equal(use.ticks[3], 5);
}

TEST_WITH(damaged_files_add_nothing, machine_make, machine_remove)
{
	cpu_set_t cpus = four_cpus();
	struct cpu_use use;

	assert_int_equal(machine_put("/proc/4711/task/4711/stat", "4711 (cut off"), 0);
	assert_int_equal(machine_put("/proc/4711/task/4712/stat", "4712 (short) S 1 2\n"), 0);
	put_thread(4713, 5, 5, CPU_SETSIZE);
	use = use_of_target();
	assert_false(cpu_use_avoid(&use, &cpus));
}

TEST(cpus_with_more_than_half_of_the_most_are_avoided)
{
	struct cpu_use use = {.ticks = {[0] = 41, [1] = 80, [2] = 40}};
	cpu_set_t cpus = four_cpus();

	assert_true(cpu_use_avoid(&use, &cpus));
	assert_false(CPU_ISSET(0, &cpus));
	assert_false(CPU_ISSET(1, &cpus));
	assert_true(CPU_ISSET(2, &cpus));
	assert_true(CPU_ISSET(3, &cpus));
}

TEST(some_cpu_is_left)
{
	struct cpu_use use = {.ticks = {25, 20, 25, 13}};
	cpu_set_t cpus = four_cpus();

	assert_false(cpu_use_avoid(&use, &cpus));
	assert_int_equal(CPU_COUNT(&cpus), 4);
}

TEST(cpus_that_the_thread_may_not_use_stay_out)
{
	struct cpu_use use = {.ticks = {[7] = 100}};
	cpu_set_t cpus = four_cpus();

	assert_false(cpu_use_avoid(&use, &cpus));
	assert_false(CPU_ISSET(7, &cpus));
}

TEST(use_of_cpus_that_the_thread_may_not_use_does_not_count)
{
	struct cpu_use use = {.ticks = {[0] = 3, [7] = 100}};
	cpu_set_t cpus = four_cpus();

	assert_true(cpu_use_avoid(&use, &cpus));
	assert_false(CPU_ISSET(0, &cpus));
	assert_int_equal(CPU_COUNT(&cpus), 3);
}

static cpu_set_t own_cpus(void)
{
	cpu_set_t cpus;

	assert_int_equal(sched_getaffinity(0, sizeof(cpus), &cpus), 0);
	return cpus;
}

/* Some use of the first CPU of the calling thread. */
static struct cpu_use use_of_first(void)
{
	cpu_set_t cpus = own_cpus();
	struct cpu_use use = {};
	int cpu = 0;

	while (!CPU_ISSET(cpu, &cpus))
		cpu++;
	use.ticks[cpu] = 1;
	return use;
}

TEST(a_thread_comes_back_to_all_of_its_cpus)
{
	cpu_set_t before = own_cpus(), now;
	struct cpu_use use = use_of_first();
	struct keep_off keep_off;

	keep_off_init(&keep_off);
	keep_off_end(&keep_off);
	for (int turn = 0; turn < 2; turn++) {
		keep_off_begin(&keep_off, &use);
		/* Again: what it comes back to stays the same. */
		keep_off_begin(&keep_off, &use);
		now = own_cpus();
		assert_int_equal(CPU_COUNT(&now),
				 CPU_COUNT(&before) > 1 ? CPU_COUNT(&before) - 1 : 1);
		keep_off_end(&keep_off);
		now = own_cpus();
		assert_true(CPU_EQUAL(&now, &before));
	}
	assert_int_equal(keep_off.was_on, CPU_COUNT(&before) > 1);
}

/* A thread that sleeps has less than half of a CPU, too. */
TEST(a_thread_that_sleeps_does_not_come_back)
{
	struct cpu_use use = use_of_first();
	struct keep_off keep_off;
	bool was_on;

	keep_off_init(&keep_off);
	keep_off_begin(&keep_off, &use);
	was_on = keep_off.is_on;
	keep_off.tid = getppid(); /* not a thread of this process: it is in no state here */
	keep_off.sampled_ns = 0;
	keep_off_sample(&keep_off);
	assert_int_equal(keep_off.is_on, was_on);
	assert_false(keep_off.had_to_wait);
	keep_off.tid = gettid();
	keep_off_end(&keep_off);
}

TEST(a_thread_that_gets_little_of_a_cpu_comes_back)
{
	struct cpu_use use = use_of_first();
	cpu_set_t before = own_cpus(), now;
	struct keep_off keep_off;
	bool was_on;

	keep_off_init(&keep_off);
	keep_off_begin(&keep_off, &use);
	was_on = keep_off.is_on;
	/* Since the machine has begun, this thread has had less than half of a CPU. */
	keep_off.sampled_ns = 0;
	keep_off_sample(&keep_off);
	assert_false(keep_off.is_on);
	assert_int_equal(keep_off.had_to_wait, was_on);
	now = own_cpus();
	assert_true(CPU_EQUAL(&now, &before));
}

TEST_WITH(less_than_a_tick_is_a_use, machine_make, machine_remove)
{
	struct cpu_use use;
	cpu_set_t cpus = four_cpus();

	put_thread(4711, 0, 0, 2);
	use = use_of_target();
	assert_true(cpu_use_avoid(&use, &cpus));
	assert_false(CPU_ISSET(2, &cpus));
}
