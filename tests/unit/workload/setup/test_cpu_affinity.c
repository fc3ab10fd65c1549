/* SPDX-License-Identifier: BSD-2-Clause */
/* Where processes may run, and which workloads are refused before anything runs. */
#include "support/build.h"
#include "support/capture.h"
#include "support/sample.h"

#include "transport/transport.h"
#include "workload/plan.h"
#include "workload/member/message.h"
#include "workload/workload.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static cpu_set_t allowed;

static int remember_cpus(void **state)
{
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
	return sched_getaffinity(0, sizeof(allowed), &allowed);
}

static int restore_cpus(void **state)
{
	return sched_setaffinity(0, sizeof(allowed), &allowed);
}

/* The n-th CPU this process may use, from 0. */
static int allowed_cpu(int n)
{
	int cpu = 0;

	assert_in_range(n, 0, CPU_COUNT(&allowed) - 1);
	while (!CPU_ISSET(cpu, &allowed) || n-- > 0)
		cpu++;
	return cpu;
}

static cpu_set_t single(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return set;
}

static struct workload_spec lists_of(const char *server, const char *clients)
{
	struct workload_spec spec = {.cpu_affinity = CPUS_LISTS};

	snprintf(spec.server_cpus, sizeof(spec.server_cpus), "%s", server);
	snprintf(spec.client_cpus, sizeof(spec.client_cpus), "%s", clients);
	return spec;
}

static int find(struct process_cpus *cpus, const struct workload_spec *spec, struct capture *err)
{
	int status;

	capture_begin(err, STDERR_FILENO);
	status = cpu_affinity_find(cpus, spec);
	capture_end(err);
	return status;
}

static struct process_cpus found(struct workload_spec spec)
{
	struct process_cpus cpus;
	struct capture err;

	assert_int_equal(find(&cpus, &spec, &err), 0);
	assert_string_equal(err.text, "");
	return cpus;
}

/* The error names the side of the value. */
static void refuse_list(const char *list, const char *reason)
{
	struct process_cpus cpus;
	struct capture err;
	char value[96];
	struct workload_spec spec = lists_of(list, "0");

	assert_int_equal(find(&cpus, &spec, &err), -EINVAL);
	snprintf(value, sizeof(value), "server=%s':", list);
	assert_one_line_with(err.text, value);
	assert_has(err.text, reason);
	spec = lists_of("", list);
	assert_int_equal(find(&cpus, &spec, &err), -EINVAL);
	snprintf(value, sizeof(value), "clients=%s':", list);
	assert_one_line_with(err.text, value);
	assert_has(err.text, reason);
}

TEST(free_pins_no_process)
{
	struct process_cpus cpus = found((struct workload_spec){.cpu_affinity = CPUS_FREE});

	assert_false(cpus.pin_server);
	assert_false(cpus.pin_clients);
}

TEST(one_puts_all_on_the_same_allowed_cpu)
{
	struct process_cpus cpus = found((struct workload_spec){.cpu_affinity = CPUS_ONE});

	assert_true(cpus.pin_server && cpus.pin_clients);
	assert_int_equal(CPU_COUNT(&cpus.server), 1);
	assert_true(CPU_EQUAL(&cpus.server, &cpus.clients));
	assert_true(CPU_ISSET(allowed_cpu(CPU_COUNT(&allowed) - 1), &cpus.server));
}

TEST(spread_leaves_the_server_alone)
{
	struct workload_spec spec = {.cpu_affinity = CPUS_SPREAD};
	struct process_cpus cpus;
	cpu_set_t both, all;

	if (CPU_COUNT(&allowed) < 2)
		return; /* covered by the next test */
	cpus = found(spec);
	assert_true(cpus.pin_server && cpus.pin_clients && cpus.one_each);
	CPU_AND(&both, &cpus.server, &cpus.clients);
	CPU_OR(&all, &cpus.server, &cpus.clients);
	assert_int_equal(CPU_COUNT(&cpus.server), 1);
	assert_int_equal(CPU_COUNT(&both), 0);
	assert_true(CPU_EQUAL(&all, &allowed));
}

/* Finds the CPUs of processes while this process may use only its first one. */
static int find_on_one(struct process_cpus *cpus, enum cpu_affinity affinity, struct capture *err)
{
	const struct workload_spec spec = {.cpu_affinity = affinity};
	cpu_set_t first = single(allowed_cpu(0));
	int status;

	assert_int_equal(sched_setaffinity(0, sizeof(first), &first), 0);
	status = find(cpus, &spec, err);
	assert_int_equal(restore_cpus(NULL), 0);
	return status;
}

TEST(spread_over_one_cpu_is_refused_with_a_remedy)
{
	struct process_cpus cpus;
	struct capture err;

	assert_int_equal(find_on_one(&cpus, CPUS_SPREAD, &err), -EINVAL);
	assert_one_line_with(err.text, "--cpus spread");
	assert_has(err.text, "--cpus one or free");
}

TEST(only_cpus_that_are_allowed_here_are_used)
{
	cpu_set_t first = single(allowed_cpu(0));
	struct process_cpus cpus;
	struct capture err;

	assert_int_equal(find_on_one(&cpus, CPUS_ONE, &err), 0);
	assert_true(CPU_EQUAL(&cpus.server, &first));
}

TEST(lists_pin_each_side_to_its_own)
{
	int first = allowed_cpu(0), last = allowed_cpu(CPU_COUNT(&allowed) - 1);
	struct process_cpus cpus;
	char one[16], two[48];

	snprintf(one, sizeof(one), "%d", first);
	snprintf(two, sizeof(two), "%d-%d,%d,%d", last, last, first, first);
	cpus = found(lists_of(one, two));
	assert_true(cpus.pin_server && cpus.pin_clients);
	assert_false(cpus.one_each);
	assert_int_equal(CPU_COUNT(&cpus.server), 1);
	assert_true(CPU_ISSET(first, &cpus.server));
	assert_int_equal(CPU_COUNT(&cpus.clients), first == last ? 1 : 2);
	assert_true(CPU_ISSET(first, &cpus.clients) && CPU_ISSET(last, &cpus.clients));
}

TEST(a_side_without_a_list_is_not_pinned)
{
	struct process_cpus cpus;
	char one[16];

	snprintf(one, sizeof(one), "%d", allowed_cpu(0));
	cpus = found(lists_of(one, ""));
	assert_true(cpus.pin_server);
	assert_false(cpus.pin_clients);
}

TEST(a_range_holds_both_its_ends)
{
	struct process_cpus cpus;
	char range[32];
	int first = 0;

	while (first + 1 < CPU_SETSIZE &&
	       !(CPU_ISSET(first, &allowed) && CPU_ISSET(first + 1, &allowed)))
		first++;
	if (first + 1 == CPU_SETSIZE)
		return; /* there are no two neighbouring CPUs */
	snprintf(range, sizeof(range), "%d-%d", first, first + 1);
	cpus = found(lists_of(range, range));
	assert_int_equal(CPU_COUNT(&cpus.server), 2);
	assert_true(CPU_ISSET(first, &cpus.server) && CPU_ISSET(first + 1, &cpus.server));
}

TEST(what_is_no_list_is_named_and_shown_one)
{
	static const char *const bad[] = {",",  "0,", "0,,1", ",0",  "0-",    "-0",  "x",   "0x1",
					  " 0", "0 ", "+0",   "1-0", "0-1-2", "all", "0;1", "0.5"};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		refuse_list(bad[i],
			    "not a list of CPUs: give CPU numbers and ranges such as 0-2,5");
}

TEST(a_cpu_beyond_any_machine_is_refused_without_overflow)
{
	static const char *const bad[] = {"1024",
					  "0-1024",
					  "4294967296",
					  "18446744073709551616",
					  "0-18446744073709551615",
					  "0-99999999999999999999"};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		refuse_list(bad[i], "no machine has that many CPUs");
}

TEST(a_cpu_that_is_not_allowed_is_named)
{
	struct process_cpus cpus;
	struct workload_spec spec;
	struct capture err;
	char list[32], name[32];
	int cpu = CPU_SETSIZE - 1;

	while (CPU_ISSET(cpu, &allowed))
		cpu--;
	snprintf(list, sizeof(list), "%d,%d", allowed_cpu(0), cpu);
	snprintf(name, sizeof(name), "CPU %d is", cpu);
	spec = lists_of(list, "");
	assert_int_equal(find(&cpus, &spec, &err), -EINVAL);
	assert_one_line_with(err.text, list);
	assert_has(err.text, name);
	assert_has(err.text, "taskset");
}

static cpu_set_t applied(const struct process_cpus *cpus, unsigned int process)
{
	int status = cpu_affinity_apply(cpus, process);
	cpu_set_t now;

	assert_int_equal(sched_getaffinity(0, sizeof(now), &now), 0);
	assert_int_equal(restore_cpus(NULL), 0);
	assert_int_equal(status, 0);
	return now;
}

TEST(clients_of_a_spread_take_turns)
{
	struct workload_spec spec = {.cpu_affinity = CPUS_SPREAD};
	int cpus_left = CPU_COUNT(&allowed) - 1;
	struct process_cpus cpus;
	cpu_set_t now, expected;

	if (!cpus_left)
		return;
	cpus = found(spec);
	now = applied(&cpus, 0);
	assert_true(CPU_EQUAL(&now, &cpus.server));
	for (int client = 1; client <= 2 * cpus_left + 1; client++) {
		now = applied(&cpus, client);
		expected = single(allowed_cpu(1 + (client - 1) % cpus_left));
		assert_true(CPU_EQUAL(&now, &expected));
	}
}

TEST(a_process_that_is_not_pinned_keeps_its_cpus)
{
	struct process_cpus cpus = {.pin_server = false};
	cpu_set_t now = applied(&cpus, 0);

	assert_true(CPU_EQUAL(&now, &allowed));
	now = applied(&cpus, 3);
	assert_true(CPU_EQUAL(&now, &allowed));
}

/* The workload of a test, and its plan. */
static struct workload_spec spec;
static struct plan plan;

static int reset_spec(void **state)
{
	spec = sample_info(5).workload;
	return 0;
}

static int make(struct capture *err)
{
	int status;

	capture_begin(err, STDERR_FILENO);
	status = plan_make(&plan, &spec);
	capture_end(err);
	return status;
}

static void accept(void)
{
	struct capture err;

	assert_int_equal(make(&err), 0);
	assert_string_equal(err.text, "");
}

static void refuse(const char *value, const char *remedy)
{
	struct capture err;

	assert_int_equal(make(&err), -EINVAL);
	assert_one_line_with(err.text, value);
	assert_has(err.text, remedy);
}

TEST_WITH(the_documented_workload_can_be_planned, reset_spec, NULL)
{
	accept();
	for (spec.sched_policy = 0; spec.sched_policy < NR_SCHED_POLICIES; spec.sched_policy++)
		accept();
}

TEST_WITH(words_without_a_meaning_are_refused_with_those_that_have_one, reset_spec, NULL)
{
	strcpy(spec.transport, "pigeon");
	refuse("--transport 'pigeon'", "uds");
	reset_spec(NULL);
	strcpy(spec.pattern, "pull");
	refuse("--pattern 'pull'", "push");
}

TEST_WITH(handlers_are_for_requests, reset_spec, NULL)
{
	strcpy(spec.handler, "echo");
	refuse("--handler 'echo'", "use --pattern request");
	strcpy(spec.pattern, "pingpong");
	refuse("--handler 'echo': pattern pingpong", "leave --handler out");
	strcpy(spec.pattern, "request");
	accept();
	strcpy(spec.handler, "spin=20us");
	accept();
	spec.handler[0] = '\0';
	accept();
	strcpy(spec.handler, "guess");
	refuse("--handler 'guess'", "translate");
	strcpy(spec.handler, "spin=soon");
	refuse("--handler 'spin=soon'", "soon");
}

TEST_WITH(text_needs_room_behind_the_header, reset_spec, NULL)
{
	strcpy(spec.pattern, "request");
	strcpy(spec.handler, "translate");
	spec.size = sizeof(struct message_header);
	refuse("--size 40: --handler translate", "give more");
	spec.size++;
	accept();
	strcpy(spec.handler, "echo");
	spec.size = 1;
	accept();
}

TEST_WITH(answers_have_room_as_far_as_the_transport_lets_them, reset_spec, NULL)
{
	strcpy(spec.pattern, "request");
	accept();
	assert_int_equal(plan.message_max, spec.size);
	strcpy(spec.handler, "translate");
	accept();
	assert_int_equal(plan.message_max, 4096);
	spec.size = 10000;
	accept();
	assert_int_equal(plan.message_max, 10000);
}

TEST_WITH(numbers_out_of_bounds_are_refused_with_the_bounds, reset_spec, NULL)
{
	spec.clients = 0;
	refuse("--clients 0", "1 to 1000");
	spec.clients = 1001;
	refuse("--clients 1001", "1 to 1000");
	reset_spec(NULL);
	spec.messages = 0;
	refuse("--messages 0", "from 1");
	reset_spec(NULL);
	spec.warmup = UINT64_MAX;
	refuse("--warmup 18446744073709551615", "from 0");
	reset_spec(NULL);
	spec.period_ns = 0;
	refuse("--period 0 ns", "1ns to one day");
	snprintf(spec.pattern, sizeof(spec.pattern), "pingpong");
	accept();
}

TEST_WITH(a_message_is_something_and_fits_the_transport, reset_spec, NULL)
{
	size_t most = transport_find("uds")->size_max();
	char value[64];

	spec.size = 1;
	accept();
	spec.size--;
	snprintf(value, sizeof(value), "--size %llu", (unsigned long long)spec.size);
	refuse(value, "give that or more");
	spec.size = most;
	accept();
	spec.size++;
	snprintf(value, sizeof(value), "--size %llu", (unsigned long long)spec.size);
	refuse(value, "give that or less");
}

TEST_WITH(priorities_count_for_fixed_priority_policies_only, reset_spec, NULL)
{
	spec.server_priority = 0;
	refuse("--server-priority 0", "from 1 to 99");
	spec.server_priority = 1;
	spec.client_priority = 100;
	refuse("--client-priority 100", "from 1 to 99");
	spec.sched_policy = POLICY_OTHER;
	accept();
	spec.sched_policy = POLICY_FIFO;
	refuse("--client-priority 100", "from 1 to 99");
}

TEST_WITH(deadline_threads_cannot_be_pinned, reset_spec, NULL)
{
	spec.sched_policy = POLICY_DEADLINE;
	spec.cpu_affinity = CPUS_ONE;
	refuse("--policy deadline --cpus one", "use --cpus free");
	spec.cpu_affinity = CPUS_FREE;
	accept();
}

TEST_WITH(deadline_threads_need_a_period, reset_spec, NULL)
{
	strcpy(spec.pattern, "pingpong");
	spec.sched_policy = POLICY_DEADLINE;
	accept();
	spec.period_ns = 0;
	refuse("--policy deadline: the kernel needs a period", "--policy rr");
}

ALL_TESTS(remember_cpus, restore_cpus)
