/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the words that reports show for numbers in records, for example for scheduling
 * policies. The folder model/ has all other names, for example the names of components. A function
 * that has a `text` returns it. Its macro is valid in the enclosing block.
 */
#pragma once

#include "model/blocked_calls.h"
#include "model/spec.h"
#include "model/summary.h"
#include "model/unit.h"

#define NAME_LEN 64

extern const char *const loss_texts[NR_LOSSES];                  /* completes "12 ..." */
extern const char *const sched_policy_titles[NR_SCHED_POLICIES]; /* SCHED_RR */

/* "RR 99", "nice 0", "deadline"; empty if the policy or its priority is unknown. */
void blame_scheduling(const struct blame *blame, char text[NAME_LEN]);

/* For people: an attach has no server, so BLAME_SERVER is the sender there. */
const char *blame_class_title(enum blame_class class, enum mode mode);

/* "pid 4711" if that is before it; "outside" for what is outside the tracer's PID namespace. */
const char *number_title(const char *before, uint32_t number, char text[NAME_LEN]);
#define PID(pid) number_title("pid ", (pid), (char[NAME_LEN]){0})
#define TID(tid) number_title("tid ", (tid), (char[NAME_LEN]){0})

/* When tracing began: in the time zone of the machine that recorded, and for programs in UTC. */
#define BEGIN_LEN 48
const char *begin_title(const struct begin *begin,
			char text[BEGIN_LEN]); /* 2026-11-26 06:24:41 +0100 */
#define BEGIN(begin) begin_title((begin), (char[BEGIN_LEN]){0})
void begin_in_utc(const struct begin *begin, char text[BEGIN_LEN]); /* 2026-11-26T05:24:41.…Z */

/* The script of a process in short: "worker.py", "-jar app.jar"; empty: it has none. */
const char *script_title(const struct summary *summary, uint32_t pid, char text[NAME_LEN]);

/*
 * "redis-server", "python3 worker.py", or "worker.py" if that is its name, too; "?" stands for a
 * name that is not known.
 */
void process_name(const struct summary *summary, const struct end_summary *end,
		  char text[NAME_LEN]);

/* The same with its number, without a look at the thread: "python3 worker.py (pid 4711)". */
#define END_TITLE_LEN (2 * NAME_LEN)
const char *process_title(const struct summary *summary, const struct end_summary *end,
			  char text[END_TITLE_LEN]);

#define PROCESS(summary, end) process_title((summary), (end), (char[END_TITLE_LEN]){0})

/*
 * "python3 worker.py (pid 4711)", "io_thd_1 (pid 4711, tid 4713)", or "http-nio (pid 4711, tid
 * 4713, -jar app.jar)"
 */
const char *end_title(const struct summary *summary, const struct end_summary *end,
		      char text[END_TITLE_LEN]);

/*
 * "kworker/u8:2 (nice 0)", "hog (nice 0, outside)", "virtio0 (irq 24)", "CPU leaving idle",
 * "ipctrace itself" for all of its threads.
 */
const char *blame_title(const struct blame *blame, char text[NAME_LEN]);
#define BLAME(blame) blame_title((blame), (char[NAME_LEN]){0})

/* "worker (pid 12), worker (pid 13), worker (pid 14) and 2 more"; empty: there are none. */
#define UNTRACED_TITLE_LEN (UNTRACED_NAMED_MAX * NAME_LEN + NAME_LEN)
const char *untraced_title(const struct untraced *untraced, char text[UNTRACED_TITLE_LEN]);

/* "message" or "messages", "call" or "calls", ... */
const char *unit_words(enum unit_kind unit, bool is_plural);

/* What a throughput counts: "connections", "exchanges" or "messages". */
const char *throughput_unit(const struct workload_spec *spec);

/* The word of the GRAME paper for a frequency of peaks: "low", "medium" or "frequent". */
const char *frequency_word(double per_second);

/*
 * The name of what a thread slept in: "futex"; "call 468" for a number without a known name; "no
 * call" for CALL_OUTSIDE, "stopped" for CALL_STOPPED. `arch` is the traced machine's, as uname says
 * it.
 */
const char *syscall_name(const char *arch, uint16_t number, char name[NAME_LEN]);
#define SYSCALL(arch, number) syscall_name((arch), (number), (char[NAME_LEN]){0})
