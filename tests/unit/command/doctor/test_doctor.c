/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The doctor: what follows from findings, how they are shown, and each examination on a prepared
 * machine: a folder with the files that it reads.
 */
#include "support/build.h"
#include "support/command_line.h"

#include "command/doctor/diagnosis.h"
#include "support/machine.h"
#include "support/page.h"
#include "report/format.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void put_file(const char *path, const char *text)
{
	assert_int_equal(machine_put(path, text), 0);
}

/* By the last examination. */
static struct diagnosis found;

static void examine(examine_fn *examination)
{
	found = (struct diagnosis){0};
	examination(machine_root(), &found);
}

/* The finding with this subject. */
static const struct finding *find(const char *subject)
{
	for (size_t i = 0; i < found.finding_cnt; i++) {
		if (!strcmp(found.finding[i].subject, subject))
			return &found.finding[i];
	}
	fail_msg("nothing was found out about %s", subject);
	return NULL;
}

/* Every problem has its cost and its remedy. */
static void assert_health(const char *subject, enum health health, const char *value)
{
	const struct finding *finding = find(subject);

	assert_string_equal(health_name(finding->health), health_name(health));
	assert_has(finding->value, value);
	assert_int_equal(health >= HEALTH_LIMITED, finding->cost[0] != '\0');
	assert_int_equal(health >= HEALTH_LIMITED, finding->remedy[0] != '\0');
	if (health < HEALTH_LIMITED)
		assert_int_equal(finding->components | finding->transports, 0);
}

static void assert_examined(examine_fn *examination, const char *subject, enum health health,
			    const char *value)
{
	examine(examination);
	assert_health(subject, health, value);
}

static void put_capabilities(const char *effective, const char *priority)
{
	char text[256];

	snprintf(text, sizeof(text), "Name:\tx\nCapEff:\t%s\n", effective);
	put_file("/proc/self/status", text);
	snprintf(text, sizeof(text),
		 "Limit                     Soft Limit           Hard Limit           Units\n"
		 "Max realtime priority     %-20s %-20s\n",
		 priority, priority);
	put_file("/proc/self/limits", text);
}

EACH_TEST(machine_make, machine_remove)

TEST_WITH(only_what_is_missing_stops_the_main_job, NULL, NULL)
{
	struct diagnosis diagnosis = {0};

	assert_true(diagnosis_works(&diagnosis, JOB_RUN));
	diagnosis_add(&diagnosis, HEALTH_FINE, "a", "x");
	diagnosis_add(&diagnosis, HEALTH_UNKNOWN, "b", "x");
	diagnosis_add(&diagnosis, HEALTH_LIMITED, "c", "x");
	assert_true(diagnosis_works(&diagnosis, JOB_RUN));
	diagnosis_add(&diagnosis, HEALTH_MISSING, "d", "x");
	assert_false(diagnosis_works(&diagnosis, JOB_RUN));
}

TEST_WITH(what_a_finding_costs_is_not_offered, NULL, NULL)
{
	struct diagnosis diagnosis = {0};

	diagnosis_add(&diagnosis, HEALTH_LIMITED, "a", "x")->components =
		COMPONENT_BIT(COMPONENT_SWITCH);
	diagnosis_add(&diagnosis, HEALTH_LIMITED, "b", "x")->transports =
		TRANSPORT_BIT(TRANSPORT_UDP6) | TRANSPORT_BIT(TRANSPORT_UDS);
	for (int i = 0; i < NR_COMPONENTS; i++)
		assert_int_equal(diagnosis_shows(&diagnosis, i), i != COMPONENT_SWITCH);
	for (int i = 1; i < NR_TRANSPORT_IDS; i++)
		assert_int_equal(diagnosis_carries(&diagnosis, i),
				 i != TRANSPORT_UDP6 && i != TRANSPORT_UDS);
}

TEST_WITH(what_has_no_room_is_counted, NULL, NULL)
{
	struct diagnosis diagnosis = {0};

	for (int i = 0; i < FINDINGS_MAX; i++)
		diagnosis_add(&diagnosis, HEALTH_FINE, "a", "x");
	assert_int_equal(diagnosis.left_out, 0);
	diagnosis_add(&diagnosis, HEALTH_MISSING, "b", "x");
	assert_int_equal(diagnosis.left_out, 1);
	assert_false(diagnosis_works(&diagnosis, JOB_RUN));
}

/* A machine without the end of a switch. docs/kernels.md shows what is printed. */
static struct diagnosis make_sample(void)
{
	static const char rights[] = "rights", kernel[] = "kernel";
	struct diagnosis diagnosis = {
		.host = {.kernel = "6.12.1", .arch = "x86_64", .cpus = 2, .clocksource = "tsc"}};
	struct finding *finding;

	diagnosis_add(&diagnosis, HEALTH_FINE, "right to trace", "CAP_SYS_ADMIN")->area = rights;
	finding = diagnosis_add(&diagnosis, HEALTH_LIMITED, "tracepoint sched_exit_tp",
				"not in this %s", "kernel");
	finding->area = kernel;
	finding->components = COMPONENT_BIT(COMPONENT_SWITCH);
	finding_cost(finding, "use Linux 6.16 or newer",
		     "the end of a context %s is not shown: its time is in receive", "switch");
	diagnosis_add(&diagnosis, HEALTH_FINE, "tracepoints", "35 of 36")->area = kernel;
	diagnosis_add(&diagnosis, HEALTH_FINE, "tracefs", "not mounted")->concern = CONCERN_NONE;
	diagnosis_add(&diagnosis, HEALTH_FINE, "clock source", "tsc")->area = kernel;
	diagnosis_add(&diagnosis, HEALTH_UNKNOWN, "preemption",
		      "neither debugfs nor the configuration shows the model")
		->area = kernel;
	return diagnosis;
}

static char *rendered(const struct diagnosis *diagnosis,
		      int (*render)(const void *, const struct report_style *))
{
	char *text = NULL;
	size_t size;
	struct report_style style = {.out = open_memstream(&text, &size)};

	assert_non_null(style.out);
	assert_int_equal(render(diagnosis, &style), 0);
	fclose(style.out);
	return drop_after(text, free);
}

/* The first line is the answer, then come both jobs, what to do, and the facts. */
TEST_WITH(the_text_begins_with_the_answer, NULL, NULL)
{
	struct diagnosis diagnosis = make_sample();
	char *text = rendered(&diagnosis, diagnosis_text);

	assert_width(text, PAGE_WIDTH);
	assert_string_equal(
		text,
		"ipctrace works here; 1 limit\n"
		"\n"
		"attach        works, with 1 limit; sudo ipctrace list shows what to attach to\n"
		"run           works, with 1 limit: sudo ipctrace --transport uds --clients 5\n"
		"\n"
		"limit 1       attach and run: the end of a context switch is not shown: its time\n"
		"              is in receive (tracepoint sched_exit_tp: not in this kernel)\n"
		"  to do       use Linux 6.16 or newer\n"
		"\n"
		"components    9 of 10 parts of a latency are shown; not shown: switch\n"
		"transports    all 17 are possible\n"
		"machine       Linux 6.12.1 x86_64, 2 CPUs; ipctrace 0.1\n"
		"rights        right to trace: CAP_SYS_ADMIN\n"
		"kernel        tracepoints: 35 of 36; clock source: tsc; preemption: not known:\n"
		"              neither debugfs nor the configuration shows the model\n");
}

/* The tracepoints of one feature are one limit, and what matters to a run is none of an attach. */
TEST_WITH(a_limit_is_of_its_job, NULL, NULL)
{
	struct diagnosis diagnosis = make_sample();
	struct paragraph answer = {0};
	char *text;

	finding_cost(diagnosis_add(&diagnosis, HEALTH_LIMITED, "point a", "gone"), "r", "c");
	finding_cost(diagnosis_add(&diagnosis, HEALTH_LIMITED, "point b", "gone"), "r", "c");
	finding_cost(diagnosis_add(&diagnosis, HEALTH_LIMITED, "queue", "8"), "r2", "short");
	diagnosis.finding[diagnosis.finding_cnt - 1].concern = CONCERN_RUN;
	assert_int_equal(diagnosis_limit_cnt(&diagnosis, NR_JOBS), 3);
	assert_int_equal(diagnosis_limit_cnt(&diagnosis, JOB_ATTACH), 2);
	assert_int_equal(diagnosis_limit_cnt(&diagnosis, JOB_RUN), 3);
	diagnosis_answer(&diagnosis, &answer);
	assert_string_equal(answer.text, "ipctrace works here; 3 limits");
	text = unwrapped(rendered(&diagnosis, diagnosis_text));
	assert_has(text, "limit 2 attach and run: c (point a, point b: gone) to do r ");
	assert_has(text, "limit 3 run: short (queue: 8) to do r2 ");
}

TEST_WITH(a_transport_that_is_not_possible_is_named, NULL, NULL)
{
	struct diagnosis diagnosis = {0};
	char *text;

	diagnosis_add(&diagnosis, HEALTH_LIMITED, "timers", "none")->transports =
		TRANSPORT_BIT(TRANSPORT_KERNEL);
	text = unwrapped(rendered(&diagnosis, diagnosis_text));
	assert_has(text, "16 of 17 are possible; not possible: kernel ");
	assert_has(text, "all 10 parts of a latency are shown ");
}

static void assert_answer(const struct diagnosis *diagnosis, const char *expected)
{
	struct paragraph answer = {0};

	diagnosis_answer(diagnosis, &answer);
	assert_string_equal(answer.text, expected);
}

TEST_WITH(the_answer_says_why_not_and_what_to_do, NULL, NULL)
{
	struct diagnosis diagnosis = make_sample();
	char *text;

	finding_cost(diagnosis_add(&diagnosis, HEALTH_MISSING, "priorities", "up to 0"),
		     "use --policy other", "no SCHED_RR");
	diagnosis.finding[diagnosis.finding_cnt - 1].concern = CONCERN_RUN;
	assert_answer(&diagnosis, "ipctrace attach works here, ipctrace run does not: priorities: "
				  "up to 0: use --policy other");
	assert_true(diagnosis_works(&diagnosis, JOB_ATTACH));
	text = unwrapped(rendered(&diagnosis, diagnosis_text));
	assert_has(text, "attach works, with 1 limit; ");
	assert_has(text, "run does not work: no SCHED_RR missing 1 run: no SCHED_RR (priorities: ");

	finding_cost(diagnosis_add(&diagnosis, HEALTH_MISSING, "right to trace", "no CAP_BPF"),
		     "run it with sudo", "nothing can be traced");
	diagnosis.finding[diagnosis.finding_cnt - 1].components = COMPONENTS_ALL;
	assert_answer(&diagnosis, "ipctrace does not work here: right to trace: no CAP_BPF: run it "
				  "with sudo");
	text = unwrapped(rendered(&diagnosis, diagnosis_text));
	assert_has(text, "attach does not work: nothing can be traced run ");
	assert_has(text, "--no-trace");
	assert_has_not(text, "components");
	assert_has_not(text, "possible");
}

TEST_WITH(what_stops_a_run_may_only_limit_an_attach, NULL, NULL)
{
	struct diagnosis diagnosis = {0};
	struct finding *finding = diagnosis_add(&diagnosis, HEALTH_MISSING, "a", "x");

	finding->concern = CONCERN_RUN_MORE;
	assert_int_equal(finding_health(finding, JOB_RUN), HEALTH_MISSING);
	assert_int_equal(finding_health(finding, JOB_ATTACH), HEALTH_LIMITED);
	finding->concern = CONCERN_ATTACH;
	assert_true(diagnosis_works(&diagnosis, JOB_RUN));
	assert_false(diagnosis_works(&diagnosis, JOB_ATTACH));
}

TEST_WITH(the_json_has_the_same, NULL, NULL)
{
	struct diagnosis diagnosis = make_sample();
	char *text = rendered(&diagnosis, diagnosis_json);
	json_t *object = json_loads(text, 0, NULL), *finding;

	assert_non_null(object);
	assert_string_equal(json_string_value(json_object_get(object, "schema")),
			    "ipctrace.doctor/1");
	assert_true(json_is_true(json_object_get(object, "main_job")));
	assert_string_equal(json_string_value(json_object_get(object, "answer")),
			    "ipctrace works here; 1 limit");
	assert_true(json_is_true(json_object_get(json_object_get(object, "attach"), "works")));
	assert_int_equal(
		json_integer_value(json_object_get(json_object_get(object, "run"), "limits")), 1);
	assert_true(
		json_is_false(json_object_get(json_object_get(object, "components"), "switch")));
	assert_true(
		json_is_true(json_object_get(json_object_get(object, "components"), "receive")));
	assert_int_equal(json_object_size(json_object_get(object, "components")), NR_COMPONENTS);
	assert_true(json_is_true(json_object_get(json_object_get(object, "transports"), "uds")));
	assert_int_equal(json_object_size(json_object_get(object, "transports")),
			 NR_TRANSPORT_IDS - 1);
	finding = json_array_get(json_object_get(object, "findings"), 1);
	assert_string_equal(json_string_value(json_object_get(finding, "health")), "limited");
	assert_string_equal(json_string_value(json_object_get(finding, "remedy")),
			    "use Linux 6.16 or newer");
	assert_int_equal(json_array_size(json_object_get(finding, "lost")), 1);
	assert_string_equal(json_string_value(json_object_get(finding, "attach")), "limited");
	finding = json_array_get(json_object_get(object, "findings"), 0);
	assert_true(json_is_null(json_object_get(finding, "remedy")));
	json_decref(object);
}

TEST(root_may_trace)
{
	put_capabilities("000001ffffffffff", "0");
	assert_examined(examine_capabilities, "right to trace", HEALTH_FINE, "CAP_SYS_ADMIN");
	assert_health("right to real-time priorities", HEALTH_FINE, "CAP_SYS_NICE");
}

TEST(two_capabilities_and_a_limit_do)
{
	put_capabilities("000000c000000000", "99");
	assert_examined(examine_capabilities, "right to trace", HEALTH_FINE,
			"CAP_BPF and CAP_PERFMON");
	assert_health("right to real-time priorities", HEALTH_FINE, "99");
	put_capabilities("000000c000000000", "unlimited");
	examine(examine_capabilities);
	assert_true(diagnosis_works(&found, JOB_RUN));
}

/* Tracing alone is the main job; what is open is seen with two more. */
TEST(what_is_open_needs_two_more)
{
	static const char subject[] = "right to see what is open";

	put_capabilities("000000c000000000", "99");
	assert_examined(examine_capabilities, subject, HEALTH_LIMITED,
			"no CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH");
	assert_has(find(subject)->cost, "--port");
	assert_int_equal(finding_health(find(subject), JOB_RUN), HEALTH_FINE);
	assert_true(diagnosis_works(&found, JOB_RUN));
	put_capabilities("000000c000080000", "99");
	assert_examined(examine_capabilities, subject, HEALTH_LIMITED, "no CAP_DAC_READ_SEARCH");
	put_capabilities("000000c000000004", "99");
	assert_examined(examine_capabilities, subject, HEALTH_LIMITED, "no CAP_SYS_PTRACE");
	put_capabilities("000000c000080004", "99");
	assert_examined(examine_capabilities, subject, HEALTH_FINE, "CAP_SYS_PTRACE");
	put_capabilities("000000c000080002", "99");
	assert_examined(examine_capabilities, subject, HEALTH_FINE, "CAP_SYS_PTRACE");
}

TEST(one_capability_is_not_enough)
{
	put_capabilities("0000008000000000", "98");
	assert_examined(examine_capabilities, "right to trace", HEALTH_MISSING, "no CAP_PERFMON");
	assert_false(diagnosis_shows(&found, COMPONENT_RUNQUEUE));
	assert_health("right to real-time priorities", HEALTH_MISSING, "98");
	assert_int_equal(finding_health(find("right to real-time priorities"), JOB_ATTACH),
			 HEALTH_FINE);
	put_capabilities("0000004000000000", "99");
	assert_examined(examine_capabilities, "right to trace", HEALTH_MISSING, "no CAP_BPF");
}

#define NAMESPACE "PID namespace"

static void assert_in_namespace(const char *numbers, const char *own, const char *children,
				enum health health, const char *value)
{
	char text[64];

	snprintf(text, sizeof(text), "Name:\tx\nNSpid:\t%s\n", numbers);
	put_file("/proc/self/status", text);
	assert_int_equal(machine_link("/proc/self/ns/pid", own), 0);
	assert_int_equal(machine_link("/proc/self/ns/pid_for_children", children), 0);
	assert_examined(examine_pid_namespace, NAMESPACE, health, value);
}

TEST(threads_are_known_by_the_numbers_of_this_proc)
{
	static const char initial[] = "pid:[4026531836]", own[] = "pid:[4026532200]";

	assert_examined(examine_pid_namespace, NAMESPACE, HEALTH_MISSING, "not mounted");
	put_file("/proc/self/status", "Name:\tx\n");
	assert_examined(examine_pid_namespace, NAMESPACE, HEALTH_FINE, "initial");
	assert_in_namespace("4711", initial, initial, HEALTH_FINE, "initial");
	assert_in_namespace("1", own, own, HEALTH_FINE, "translated");
	assert_true(diagnosis_works(&found, JOB_RUN));
	assert_in_namespace("4711\t1", own, own, HEALTH_MISSING, "of another PID namespace");
	assert_has(find(NAMESPACE)->remedy, "--mount-proc");
	assert_false(diagnosis_works(&found, JOB_RUN));
	assert_in_namespace("4711", initial, own, HEALTH_MISSING, "children");
	assert_has(find(NAMESPACE)->remedy, "--fork");
}

TEST(only_confidentiality_keeps_from_tracing)
{
	assert_examined(examine_lockdown, "lockdown", HEALTH_FINE, "none");
	put_file("/sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
	assert_examined(examine_lockdown, "lockdown", HEALTH_FINE, "integrity");
	put_file("/sys/kernel/security/lockdown", "none integrity [confidentiality]\n");
	assert_examined(examine_lockdown, "lockdown", HEALTH_MISSING, "confidentiality");
}

#define ALL_SET                                                                                    \
	"CONFIG_BPF_SYSCALL=y\nCONFIG_BPF_EVENTS=y\nCONFIG_DEBUG_INFO_BTF=y\n"                     \
	"CONFIG_FTRACE_SYSCALLS=y\nCONFIG_HIGH_RES_TIMERS=y\nCONFIG_EVENTFD=m\n"

TEST(the_configuration_is_where_the_system_has_it)
{
	assert_examined(examine_configuration, "kernel configuration", HEALTH_UNKNOWN,
			"not needed");
	put_file("/proc/sys/kernel/osrelease", "7.2.1-x\n");
	put_file("/usr/lib/modules/7.2.1-x/config", ALL_SET "CONFIG_BPF_JIT=y\n");
	assert_examined(examine_configuration, "kernel configuration", HEALTH_FINE,
			"/usr/lib/modules/7.2.1-x/config");
	assert_int_equal(found.finding_cnt, 1);
	put_file("/boot/config-7.2.1-x", ALL_SET "# CONFIG_BPF_JIT is not set\n");
	assert_examined(examine_configuration, "kernel configuration", HEALTH_FINE,
			"/boot/config-7.2.1-x");
	assert_health("CONFIG_BPF_JIT", HEALTH_LIMITED, "not set");
	assert_int_equal(found.finding_cnt, 2);
}

TEST(an_empty_configuration_traces_nothing)
{
	put_file("/proc/sys/kernel/osrelease", "7.2.1-x\n");
	put_file("/boot/config-7.2.1-x", "# CONFIG_BPF_SYSCALL is not set\nCONFIG_EVENTFD=n\n");
	assert_examined(examine_configuration, "CONFIG_DEBUG_INFO_BTF", HEALTH_MISSING, "not set");
	assert_false(diagnosis_works(&found, JOB_RUN));
	assert_false(diagnosis_carries(&found, TRANSPORT_EVENTFD));
	assert_true(diagnosis_carries(&found, TRANSPORT_UDS));
}

static void put_share(const char *runtime)
{
	put_file("/proc/sys/kernel/sched_rt_runtime_us", runtime);
	put_file("/proc/sys/kernel/sched_rt_period_us", "1000000\n");
}

TEST(real_time_threads_need_time)
{
	assert_examined(examine_realtime, "real-time share", HEALTH_UNKNOWN, "cannot be read");
	put_share("950000\n");
	assert_examined(examine_realtime, "real-time share", HEALTH_FINE, "95 %");
	put_share("-1\n");
	assert_examined(examine_realtime, "real-time share", HEALTH_FINE, "no limit");
	put_share("100000\n");
	assert_examined(examine_realtime, "real-time share", HEALTH_LIMITED, "10 %");
	put_share("0\n");
	assert_examined(examine_realtime, "real-time share", HEALTH_MISSING, "0 %");
}

#define CLOCKS "/sys/devices/system/clocksource/clocksource0/"

TEST(a_slow_clock_is_a_finding)
{
	put_file(CLOCKS "current_clocksource", "kvm-clock\n");
	assert_examined(examine_clock, "clock source", HEALTH_FINE, "kvm-clock");
	put_file(CLOCKS "current_clocksource", "hpet\n");
	assert_examined(examine_clock, "clock source", HEALTH_LIMITED, "hpet");
	assert_has(find("clock source")->remedy, "dmesg");
	put_file(CLOCKS "available_clocksource", "tsc hpet acpi_pm\n");
	examine(examine_clock);
	assert_has(find("clock source")->remedy, "echo tsc");
}

TEST(an_interpreter_costs)
{
	put_file("/proc/sys/net/core/bpf_jit_enable", "1\n");
	assert_examined(examine_bpf_limits, "BPF compiler", HEALTH_FINE, "1");
	put_file("/proc/sys/net/core/bpf_jit_harden", "2\n");
	assert_examined(examine_bpf_limits, "BPF compiler", HEALTH_LIMITED, "harden 2");
	put_file("/proc/sys/net/core/bpf_jit_enable", "0\n");
	examine(examine_bpf_limits);
	assert_has(find("BPF compiler")->cost, "interpreted");
}

TEST(no_timers_on_preempt_rt)
{
	put_file("/proc/sys/kernel/version", "#1 SMP PREEMPT_DYNAMIC Debian\n");
	assert_examined(examine_preemption, "preemption", HEALTH_UNKNOWN, "");
	assert_true(diagnosis_carries(&found, TRANSPORT_KERNEL));
	put_file("/proc/sys/kernel/version", "#1 SMP PREEMPT_RT Debian\n");
	assert_examined(examine_preemption, "preemption", HEALTH_LIMITED, "PREEMPT_RT");
	assert_false(diagnosis_carries(&found, TRANSPORT_KERNEL));
	assert_int_equal(diagnosis_limit_cnt(&found, JOB_ATTACH), 0);
	assert_true(diagnosis_works(&found, JOB_RUN));
}

TEST(a_short_queue_of_datagrams_is_a_finding)
{
	put_file("/proc/sys/net/unix/max_dgram_qlen", "512\n");
	put_file("/proc/net/if_inet6", "");
	assert_examined(examine_sockets, "queue of a unix socket", HEALTH_FINE, "512");
	assert_int_equal(found.finding_cnt, 1);
	put_file("/proc/sys/net/unix/max_dgram_qlen", "10\n");
	put_file("/proc/sys/net/ipv6/conf/lo/disable_ipv6", "1\n");
	assert_examined(examine_sockets, "queue of a unix socket", HEALTH_LIMITED, "10");
	assert_health("IPv6", HEALTH_LIMITED, "off");
	assert_false(diagnosis_carries(&found, TRANSPORT_TCP6));
	assert_true(diagnosis_carries(&found, TRANSPORT_TCP));
}

TEST(a_kernel_may_have_no_queues)
{
	assert_examined(examine_queues, "POSIX message queues", HEALTH_LIMITED,
			"not in this kernel");
	assert_false(diagnosis_carries(&found, TRANSPORT_MQUEUE));
	assert_false(diagnosis_carries(&found, TRANSPORT_SYSV));
	put_file("/proc/sys/kernel/msgmni", "32000\n");
	put_file("/proc/sys/fs/mqueue/queues_max", "4\n");
	assert_examined(examine_queues, "POSIX message queues", HEALTH_LIMITED, "4 of them");
	assert_health("System V message queues", HEALTH_FINE, "32000");
	assert_true(diagnosis_carries(&found, TRANSPORT_MQUEUE));
}

#define ARGV(...) ((char *[]){"ipctrace", "doctor", ##__VA_ARGS__, NULL})

TEST_WITH(it_takes_options_only, NULL, NULL)
{
	struct options options;
	struct capture err;

	assert_int_equal(parse_line(ARGV("-f", "json"), &options, &err), 0);
	assert_int_equal(options.command, COMMAND_DOCTOR);
	assert_string_equal(options.output.format->name, "json");
	assert_int_equal(parse_line(ARGV("6.12"), &options, &err), -EINVAL);
	assert_one_line_with(err.text, "6.12");
	assert_int_equal(parse_line(ARGV("-f", "ndjson"), &options, &err), -EINVAL);
	assert_one_line_with(err.text, "use text or json");
}
