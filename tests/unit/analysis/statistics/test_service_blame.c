/* SPDX-License-Identifier: BSD-2-Clause */
/* What ran on CPU 3 while the serving thread waited for it. */
#include "support/build.h"
#include "support/serving.h"

#include <stdlib.h>

enum { SERVER = 7, HOG = 9, CPU = 3 };

static struct serving serving;

static int setup(void **state)
{
	return serving_setup(&serving);
}

static int teardown(void **state)
{
	serving_teardown(&serving);
	return 0;
}

EACH_TEST(setup, teardown)

/* A task runs from the end of the one before. */
static void add_task(uint32_t seq, uint32_t tid, uint64_t end_ns)
{
	struct record_slice slice = make_task(CPU, seq, tid, end_ns);

	assert_int_equal(cpu_slices__add(serving.history.cpus, &slice), 0);
}

static void add_name(uint32_t tid, const char *comm)
{
	struct record_name name = make_name(SLICE_TASK, tid, 0, comm);

	name.priority = 120;
	assert_int_equal(names__add(serving.names, &name), 0);
}

/* A service that waits from `from_ns` on, for all of its time in the run queue. */
static struct service waiting(uint64_t from_ns, uint64_t to_ns, uint16_t cpu)
{
	return (struct service){
		.state_ns[SERVICE_RUNQUEUE] = to_ns - from_ns,
		.wait[0] = {.tid = SERVER, .from_ns = from_ns, .to_ns = to_ns, .cpu = cpu},
		.wait_cnt = 1,
	};
}

static struct calls_summary finish(void)
{
	struct calls_summary calls = {0};

	assert_int_equal(service_blame__finish(serving.blame, &calls), 0);
	return calls;
}

static void assert_share(const struct blame_summary *share, enum blame_class class, uint64_t ns,
			 uint64_t calls)
{
	assert_int_equal(share->total.class, class);
	assert_int_equal(share->total.ns, ns);
	assert_int_equal(share->messages, calls);
}

TEST(a_service_without_waits_blames_nothing)
{
	const struct service service = {.state_ns[SERVICE_ON_CPU] = 100};
	struct calls_summary calls;

	assert_int_equal(service_blame__add(serving.blame, &service, NULL), 0);
	calls = finish();
	assert_int_equal(calls.blame_cnt, 0);
	assert_null(calls.blame);
}

TEST(the_task_that_ran_is_blamed_by_name)
{
	const struct service first = waiting(100, 300, CPU), second = waiting(500, 560, CPU);
	struct calls_summary calls;

	add_name(HOG, "hog");
	add_name(SERVER, "server");
	add_task(0, SERVER, 50);
	add_task(1, HOG, 320);
	add_task(2, SERVER, 480);
	add_task(3, HOG, 560);
	assert_int_equal(service_blame__add(serving.blame, &first, NULL), 0);
	assert_int_equal(service_blame__add(serving.blame, &second, NULL), 0);
	calls = finish();
	assert_int_equal(calls.blame_cnt, 1);
	assert_share(&calls.blame[0], BLAME_TASK, 260, 2);
	assert_string_equal(calls.blame[0].total.comm, "hog");
	free(calls.blame);
}

TEST(a_client_of_a_run_is_blamed_as_such)
{
	const struct record_role role = {.head.tid = HOG, .role = ROLE_CLIENT, .client = 2};
	const struct service service = waiting(100, 300, CPU);
	struct calls_summary calls;

	assert_int_equal(roles__add(serving.roles, &role), 0);
	add_task(0, SERVER, 50);
	add_task(1, HOG, 320);
	assert_int_equal(service_blame__add(serving.blame, &service, NULL), 0);
	calls = finish();
	assert_int_equal(calls.blame_cnt, 1);
	assert_share(&calls.blame[0], BLAME_CLIENT, 200, 1);
	free(calls.blame);
}

TEST(bandwidth_control_is_blamed_as_such)
{
	const struct service service = waiting(100, 300, SEGMENT_CPU_THROTTLED);
	struct calls_summary calls;

	assert_int_equal(service_blame__add(serving.blame, &service, NULL), 0);
	calls = finish();
	assert_int_equal(calls.blame_cnt, 1);
	assert_share(&calls.blame[0], BLAME_THROTTLED, 200, 1);
	free(calls.blame);
}

/* Waits without a known CPU, and those that were not listed. */
TEST(what_is_not_known_is_blamed_on_an_unknown_task)
{
	struct service service = waiting(100, 300, SEGMENT_CPU_UNKNOWN);
	struct calls_summary calls;

	service.state_ns[SERVICE_RUNQUEUE] += 50;
	assert_int_equal(service_blame__add(serving.blame, &service, NULL), 0);
	calls = finish();
	assert_int_equal(calls.blame_cnt, 1);
	assert_share(&calls.blame[0], BLAME_UNKNOWN, 250, 1);
	free(calls.blame);
}
