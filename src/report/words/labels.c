/* SPDX-License-Identifier: BSD-2-Clause */
/* Translates numbers in records into the words that reports show. */
#include "report/words/labels.h"
#include "util/interpreter.h"

#include <linux/sched.h>
#include <stdio.h>
#include <seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The kernel's priorities: 0..99 are real-time, from the highest; 120 is nice 0. */
#define KERNEL_RT_MAX     99
#define KERNEL_NICE_FIRST 100
#define KERNEL_NICE_0     120
#define KERNEL_NICE_LAST  139

#define SYSCALLS_MAX      512

const char *const loss_texts[NR_LOSSES] = {
	[LOSS_RING_FULL] = "records for which the ring buffer had no room",
	[LOSS_CHANNELS] = "channels for which there was no room",
	[LOSS_RECURSION] = "events that the kernel skipped, its program being active",
	[LOSS_STAMPS] = "stamps for which the workload's log had no room",
};

const char *const sched_policy_titles[NR_SCHED_POLICIES] = {
	[POLICY_RR] = "SCHED_RR",
	[POLICY_FIFO] = "SCHED_FIFO",
	[POLICY_DEADLINE] = "SCHED_DEADLINE",
	[POLICY_OTHER] = "SCHED_OTHER",
};

/* Civil time, without the time zones of the machine that shows the report. */
static bool civil_time(uint64_t unix_s, int32_t offset_s, struct tm *time)
{
	time_t seconds = (time_t)unix_s + offset_s;

	return gmtime_r(&seconds, time);
}

const char *begin_title(const struct begin *begin, char text[BEGIN_LEN])
{
	int minutes = abs(begin->utc_offset_s) / 60;
	struct tm time;
	size_t length;

	text[0] = '\0';
	if (!begin->unix_ns || !civil_time(begin->unix_ns / 1000000000, begin->utc_offset_s, &time))
		return text;
	length = strftime(text, BEGIN_LEN, "%Y-%m-%d %H:%M:%S", &time);
	if (!begin->utc_offset_s)
		snprintf(text + length, BEGIN_LEN - length, " UTC");
	else
		snprintf(text + length, BEGIN_LEN - length, " %c%02d%02d",
			 begin->utc_offset_s < 0 ? '-' : '+', minutes / 60 % 100, minutes % 60);
	return text;
}

void begin_in_utc(const struct begin *begin, char text[BEGIN_LEN])
{
	struct tm time;
	size_t length;

	text[0] = '\0';
	if (!begin->unix_ns || !civil_time(begin->unix_ns / 1000000000, 0, &time))
		return;
	length = strftime(text, BEGIN_LEN, "%Y-%m-%dT%H:%M:%S", &time);
	snprintf(text + length, BEGIN_LEN - length, ".%09uZ",
		 (unsigned int)(begin->unix_ns % 1000000000));
}

const char *unit_words(enum unit_kind unit, bool is_plural)
{
	static const char *const plurals[NR_UNIT_KINDS] = {[UNIT_MESSAGE] = "messages",
							   [UNIT_CALL] = "calls",
							   [UNIT_ROUND] = "rounds",
							   [UNIT_CONNECTION] = "connections"};

	return is_plural ? plurals[unit] : unit_kind_names[unit];
}

const char *throughput_unit(const struct workload_spec *spec)
{
	if (spec_has_connections(spec))
		return "connections";
	return spec_has_calls(spec) ? "exchanges" : "messages";
}

const char *frequency_word(double per_second)
{
	if (per_second < 1)
		return "low";
	return per_second < 10 ? "medium" : "frequent";
}

/*
 * A culprit of several priorities has none, and a priority may be from before a change of the
 * policy: then it is none of this policy. SCHED_DEADLINE and SCHED_IDLE are shown without it.
 */
static bool fits_policy(const struct blame *blame)
{
	switch (blame->policy) {
	case SCHED_FIFO:
	case SCHED_RR:
		return blame->priority <= KERNEL_RT_MAX;
	case SCHED_NORMAL:
	case SCHED_BATCH:
		return blame->priority >= KERNEL_NICE_FIRST && blame->priority <= KERNEL_NICE_LAST;
	}
	return true;
}

void blame_scheduling(const struct blame *blame, char text[NAME_LEN])
{
	int rt = KERNEL_RT_MAX - (int)blame->priority;
	int nice = (int)blame->priority - KERNEL_NICE_0;

	text[0] = '\0';
	/* Without a NAME record there is no comm, and the policy is unknown although it is 0. */
	if (blame->kind != SLICE_TASK || !blame->comm[0] || blame_classes[blame->class].title ||
	    !fits_policy(blame))
		return;
	switch (blame->policy) {
	case SCHED_FIFO:
		snprintf(text, NAME_LEN, "FIFO %d", rt);
		break;
	case SCHED_RR:
		snprintf(text, NAME_LEN, "RR %d", rt);
		break;
	case SCHED_DEADLINE:
		snprintf(text, NAME_LEN, "deadline");
		break;
	case SCHED_IDLE:
		snprintf(text, NAME_LEN, "policy idle");
		break;
	case SCHED_BATCH:
		snprintf(text, NAME_LEN, "batch, nice %d", nice);
		break;
	case SCHED_NORMAL:
		snprintf(text, NAME_LEN, "nice %d", nice);
		break;
	default:
		snprintf(text, NAME_LEN, "policy %u", blame->policy);
	}
}

const char *number_title(const char *before, uint32_t number, char text[NAME_LEN])
{
	if (tid_is_outside(number))
		snprintf(text, NAME_LEN, "outside");
	else
		snprintf(text, NAME_LEN, "%s%u", before, number);
	return text;
}

const char *script_title(const struct summary *summary, uint32_t pid, char text[NAME_LEN])
{
	script_shorten(summary_script(summary, pid) ?: "", text, NAME_LEN);
	return text;
}

/* The kernel cuts the name of a script that is executed by its own name. */
static bool is_name_of(const char *comm, const char *script)
{
	size_t length = strlen(comm);

	return length && !strncmp(comm, script, length) &&
	       (!script[length] || length == RECORD_COMM_LEN - 1);
}

void process_name(const struct summary *summary, const struct end_summary *end, char text[NAME_LEN])
{
	const char *comm = end->comm[0] ? end->comm : "?";
	char script[NAME_LEN];

	script_title(summary, end->pid, script);
	if (is_name_of(end->comm, script))
		snprintf(text, NAME_LEN, "%s", script);
	else
		snprintf(text, NAME_LEN, "%s%s%.40s", comm, script[0] ? " " : "", script);
}

const char *process_title(const struct summary *summary, const struct end_summary *end,
			  char text[END_TITLE_LEN])
{
	char name[NAME_LEN];

	process_name(summary, end, name);
	snprintf(text, END_TITLE_LEN, "%s (%.20s)", name, PID(end->pid));
	return text;
}

const char *end_title(const struct summary *summary, const struct end_summary *end,
		      char text[END_TITLE_LEN])
{
	char script[NAME_LEN];

	if (!end->tid || end->tid == end->pid)
		return process_title(summary, end, text);
	script_title(summary, end->pid, script);
	snprintf(text, END_TITLE_LEN, "%s (%.16s, %.16s%s%.40s)", end->comm[0] ? end->comm : "?",
		 PID(end->pid), TID(end->tid), script[0] ? ", " : "", script);
	return text;
}

const char *untraced_title(const struct untraced *untraced, char text[UNTRACED_TITLE_LEN])
{
	uint32_t named = untraced_named(untraced);
	int length = 0;

	text[0] = '\0';
	for (uint32_t i = 0; i < named; i++)
		length += snprintf(text + length, UNTRACED_TITLE_LEN - length, "%s%s (pid %u)",
				   i ? ", " : "", untraced->named[i].comm, untraced->named[i].pid);
	if (untraced->cnt > named)
		snprintf(text + length, UNTRACED_TITLE_LEN - length, " and %u more",
			 untraced->cnt - named);
	return text;
}

/* The text in parentheses. Every kernel thread is outside a container, so that is not said. */
static void thread_remarks(const struct blame *blame, char text[NAME_LEN])
{
	size_t length;

	blame_scheduling(blame, text);
	length = strlen(text);
	if (tid_is_outside(blame->tid) && blame->class != BLAME_KTHREAD)
		snprintf(text + length, NAME_LEN - length, "%soutside", length ? ", " : "");
}

static void labels_thread_title(const struct blame *blame, char text[NAME_LEN])
{
	char remarks[NAME_LEN], number[NAME_LEN];

	thread_remarks(blame, remarks);
	if (blame->class == BLAME_IPCTRACE && !remarks[0])
		snprintf(text, NAME_LEN, "ipctrace itself");
	else if (!blame->comm[0])
		snprintf(text, NAME_LEN, "thread %.*s", NAME_LEN - 8,
			 number_title("", blame->tid, number));
	else if (!remarks[0])
		snprintf(text, NAME_LEN, "%s", blame->comm);
	else
		snprintf(text, NAME_LEN, "%.*s (%.*s)", RECORD_COMM_LEN, blame->comm,
			 NAME_LEN - RECORD_COMM_LEN - 4, remarks);
}

const char *blame_class_title(enum blame_class class, enum mode mode)
{
	const char *in_attach = mode == MODE_ATTACH ? blame_classes[class].in_attach : NULL;

	return in_attach ?: blame_classes[class].name;
}

const char *blame_title(const struct blame *blame, char text[NAME_LEN])
{
	const struct blame_class_info *class = &blame_classes[blame->class];

	if (blame->class == BLAME_THROTTLED && blame->comm[0])
		snprintf(text, NAME_LEN, "quota of %s", blame->comm);
	else if (class->title)
		snprintf(text, NAME_LEN, "%s", class->title);
	else if (blame->class == BLAME_IRQ && blame->tid >= IRQ_OF_CPU)
		snprintf(text, NAME_LEN, "%s", blame->comm[0] ? blame->comm : "interrupt");
	else if (class->is_interrupt)
		snprintf(text, NAME_LEN, "%s%s(%s %u)", blame->comm, blame->comm[0] ? " " : "",
			 class->name, blame->tid);
	else
		labels_thread_title(blame, text);
	return text;
}

/*
 * The numbers of system calls depend on the architecture, and a recording may come from another
 * one. libseccomp needs 1.5 us to find a name, and ndjson asks for names at every message.
 */
struct name_table {
	char arch[SPEC_TEXT_LEN];
	char name[SYSCALLS_MAX][NAME_LEN]; /* empty: libseccomp does not know the number */
};

static void fill_names(struct name_table *table, const char *arch)
{
	uint32_t token = seccomp_arch_resolve_name(arch);

	snprintf(table->arch, sizeof(table->arch), "%s", arch);
	for (int i = 0; i < SYSCALLS_MAX; i++) {
		char *name = token ? seccomp_syscall_resolve_num_arch(token, i) : NULL;

		snprintf(table->name[i], NAME_LEN, "%s", name ?: "");
		free(name);
	}
}

const char *syscall_name(const char *arch, uint16_t number, char name[NAME_LEN])
{
	static struct name_table table;
	const char *known = number == CALL_OUTSIDE   ? "no call"
			    : number == CALL_STOPPED ? "stopped"
			    : number == CALL_UNKNOWN ? "unknown"
			    : number == CALL_OTHERS  ? "others"
						     : "";

	if (!known[0] && strcmp(table.arch, arch))
		fill_names(&table, arch);
	if (!known[0] && number < SYSCALLS_MAX)
		known = table.name[number];
	if (known[0])
		snprintf(name, NAME_LEN, "%s", known);
	else
		snprintf(name, NAME_LEN, "call %u", number);
	return name;
}
