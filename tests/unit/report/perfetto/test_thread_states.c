/* SPDX-License-Identifier: BSD-2-Clause */
/* States of threads, read back with the generated code: which changes are written, and when. */
#include "support/build.h"

#include "report/perfetto/tracks.h"
#include "report/perfetto/trace.pb-c.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define READ_MAX 64
#define NOWHERE  CPU_OF_UNKNOWN_STATES

enum { TID = 7, OTHER = 8 };

struct change {
	uint64_t at_ns;
	uint32_t tid;
	uint32_t state;
	uint32_t cpu;
};

/* In the order of the file. */
static struct change change[READ_MAX];
static char name[READ_MAX][RECORD_COMM_LEN];
static char *bytes;
static size_t size;
static FILE *out;
static struct scene scene;
static struct thread_tracks *threads;

static int setup(void **state)
{
	out = open_memstream(&bytes, &size);
	scene = (struct scene){.packets = packets__new(out)};
	threads = thread_tracks__new();
	return scene.packets && threads ? 0 : -1;
}

static int teardown(void **state)
{
	thread_tracks__free(threads);
	fit_free(&scene.lost.fit);
	packets__free(scene.packets);
	fclose(out);
	free(bytes);
	return 0;
}

EACH_TEST(setup, teardown)

static void show(uint32_t tid, const char *comm, uint32_t cnt, const struct moment *moment)
{
	struct thread_moments moments = {
		.thread = {.tid = tid}, .priority = 98, .moment = moment, .cnt = cnt};

	strcpy(moments.thread.comm, comm);
	thread_tracks__moments(threads, &scene, &moments);
}

#define STRETCH(from, to, what, where)                                                             \
	{                                                                                          \
		.from_ns = from, .to_ns = to, .cost = what, .cpu = where                           \
	}
#define SHOW_AS(tid, comm, ...)                                                                    \
	show(tid, comm, sizeof((struct moment[]){__VA_ARGS__}) / sizeof(struct moment),            \
	     (struct moment[]){__VA_ARGS__})
#define SHOW(tid, ...) SHOW_AS(tid, "task", __VA_ARGS__)
/* What is written where the state of a thread is no longer known. */
#define FORGOTTEN(at, tid)                                                                         \
	{at, tid, TASK_RUNNING, NOWHERE},                                                          \
	{                                                                                          \
		at, 0, TASK_RUNNING, NOWHERE                                                       \
	}

static void note_change(size_t i, const Pf__TracePacket *packet)
{
	const Pf__GenericKernelTaskStateEvent *event = packet->generic_kernel_task_state_event;

	assert_true(i < READ_MAX);
	change[i] = (struct change){packet->timestamp, (uint32_t)event->tid, event->state,
				    (uint32_t)event->cpu};
	snprintf(name[i], sizeof(name[i]), "%s", event->comm ?: "");
}

/* Their number. */
static size_t changes_of_file(void)
{
	size_t cnt = 0, at = 0;

	fflush(out);
	while (at < size) {
		Pf__TracePacket *packet;
		size_t length = (uint8_t)bytes[at + 1];

		assert_true(length < 0x80);
		packet = pf__trace_packet__unpack(NULL, length, (uint8_t *)bytes + at + 2);
		assert_non_null(packet);
		at += 2 + length;
		if (packet->generic_kernel_task_state_event)
			note_change(cnt++, packet);
		pf__trace_packet__free_unpacked(packet, NULL);
	}
	return cnt;
}

static void assert_changes(size_t cnt, const struct change *expected)
{
	thread_tracks__end_run(threads, &scene);
	assert_int_equal(packets__error(scene.packets), 0);
	assert_int_equal(changes_of_file(), cnt);
	for (size_t i = 0; i < cnt; i++) {
		assert_int_equal(change[i].at_ns, expected[i].at_ns);
		assert_int_equal(change[i].tid, expected[i].tid);
		assert_int_equal(change[i].state, expected[i].state);
		assert_int_equal(change[i].cpu, expected[i].cpu);
	}
}

#define ASSERT_CHANGES(...)                                                                        \
	assert_changes(sizeof((struct change[]){__VA_ARGS__}) / sizeof(struct change),             \
		       (struct change[]){__VA_ARGS__})

TEST(what_goes_on_is_written_once)
{
	SHOW(TID, STRETCH(10, 20, COST_ON_CPU, 1), STRETCH(20, 30, COST_ON_CPU, 1));
	SHOW(TID, STRETCH(30, 40, COMPONENT_BLOCKED, BLAME_CPU_UNKNOWN));
	SHOW(TID, STRETCH(40, 50, COMPONENT_BLOCKED, BLAME_CPU_UNKNOWN));
	ASSERT_CHANGES({10, TID, TASK_RUNNING, 1}, {30, TID, TASK_ASLEEP, 1}, FORGOTTEN(50, TID));
}

/* A reader refuses a thread that begins to run twice. */
TEST(a_thread_leaves_a_cpu_before_it_runs_on_another)
{
	SHOW(TID, STRETCH(10, 20, COST_ON_CPU, 1), STRETCH(20, 30, COST_ON_CPU, 0),
	     STRETCH(30, 40, COST_STOPPED, BLAME_CPU_UNKNOWN));
	ASSERT_CHANGES({10, TID, TASK_RUNNING, 1}, {20, TID, TASK_RUNNABLE, 1},
		       {20, TID, TASK_RUNNING, 0}, {30, TID, TASK_STOPPED, 0}, FORGOTTEN(40, TID));
}

/* One between two batches, and one that the batch itself shows. */
TEST(no_state_goes_on_in_a_gap)
{
	SHOW(TID, STRETCH(10, 20, COMPONENT_BLOCKED, BLAME_CPU_UNKNOWN));
	SHOW(TID, STRETCH(30, 40, COST_ON_CPU, 1), STRETCH(40, 50, COST_UNKNOWN, BLAME_CPU_UNKNOWN),
	     STRETCH(50, 60, COMPONENT_RUNQUEUE, 1));
	ASSERT_CHANGES({10, TID, TASK_ASLEEP, 0}, FORGOTTEN(20, TID), {30, TID, TASK_RUNNING, 1},
		       {40, TID, TASK_RUNNABLE, 1}, FORGOTTEN(40, TID), {50, TID, TASK_RUNNABLE, 1},
		       FORGOTTEN(60, TID));
}

/* Each of its threads, whatever it did last: the next run has other threads. */
TEST(no_state_goes_on_after_a_run)
{
	SHOW(TID, STRETCH(10, 20, COMPONENT_BLOCKED, BLAME_CPU_UNKNOWN));
	SHOW(OTHER, STRETCH(10, 30, COST_ON_CPU, 0));
	ASSERT_CHANGES({10, TID, TASK_ASLEEP, 0}, {10, OTHER, TASK_RUNNING, 0}, FORGOTTEN(20, TID),
		       {30, OTHER, TASK_RUNNABLE, 0}, FORGOTTEN(30, OTHER));
}

/* The thread ran, but the CPU is not known: no track of a CPU may show it. */
TEST(a_thread_that_runs_anywhere_has_no_state)
{
	SHOW(TID, STRETCH(10, 20, COST_ON_CPU, BLAME_CPU_UNKNOWN));
	assert_changes(0, NULL);
}

TEST(a_name_comes_when_it_is_new)
{
	SHOW_AS(TID, "old", STRETCH(10, 20, COST_ON_CPU, 1),
		STRETCH(20, 30, COMPONENT_RUNQUEUE, 1));
	SHOW_AS(TID, "new", STRETCH(30, 40, COMPONENT_RUNQUEUE, 1),
		STRETCH(40, 50, COST_ON_CPU, 1));
	thread_tracks__end_run(threads, &scene);
	assert_int_equal(changes_of_file(), 6);
	assert_string_equal(name[0], "old");
	assert_string_equal(name[1], "");
	assert_string_equal(name[2], "new");
	assert_string_equal(name[3], "");
}
