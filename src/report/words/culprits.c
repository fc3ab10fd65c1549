/* SPDX-License-Identifier: BSD-2-Clause */
/* Merges the blame of threads that have the same name, and names the largest culprits. */
#include "report/words/culprits.h"

#include "insight/metrics.h"

#include <linux/sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CULPRITS_NAMED 3
#define SCRIPT_SHOWN   22   /* at most, of the name of a script */
#define IS_NAMED       0.01 /* share of a culprit; the first one has its name in any case */

static uint32_t culprits_client_of(const struct summary *summary, const struct blame *blame)
{
	for (uint32_t i = 0; blame->class == BLAME_CLIENT && i < summary->client_cnt; i++) {
		if (summary->client[i].tid == blame->tid)
			return summary->client[i].client;
	}
	return 0;
}

/* "python3 (nice 0)" becomes "python3 worker.py (nice 0)". */
static void add_script(const struct summary *summary, const struct blame_summary *blame,
		       char title[NAME_LEN])
{
	size_t length = strlen(blame->total.comm);
	char script[NAME_LEN], rest[NAME_LEN];

	if (!blame_relations[blame->relation].is_traced)
		return;
	script_title(summary, blame->pid ?: blame->total.tid, script);
	if (!script[0] || strncmp(title, blame->total.comm, length))
		return;
	snprintf(rest, NAME_LEN, "%s", title + length);
	if (strncmp(script, blame->total.comm, length))
		snprintf(title, NAME_LEN, "%s %.*s%.24s", blame->total.comm, SCRIPT_SHOWN, script,
			 rest);
}

static struct culprit culprits_culprit_of(const struct summary *summary,
					  const struct blame_summary *blame)
{
	struct culprit culprit = {
		.class = blame->total.class,
		.by = &blame->total,
		.client = culprits_client_of(summary, &blame->total),
		.tid = blame->total.tid,
		.threads = !blame->folded,
		.is_named = blame->total.comm[0],
		.pid = blame->pid,
		.process = blame->process,
		.ns = (double)blame->total.ns,
		.relation = blame->relation,
		.entries = 1,
		.waits = {.messages = blame->folded ? 0 : blame->messages,
			  .worst_ns = blame->worst_ns,
			  .worst_cpu = blame->worst_cpu},
		.alike = blame->alike,
	};

	blame_title(&blame->total, culprit.title);
	add_script(summary, blame, culprit.title);
	return culprit;
}

static int by_title(const void *a, const void *b)
{
	const struct culprit *x = a, *y = b;

	if (x->relation != y->relation)
		return x->relation < y->relation ? -1 : 1;
	if (!x->relation && x->class != y->class)
		return x->class < y->class ? -1 : 1;
	if (x->client != y->client)
		return x->client < y->client ? -1 : 1;
	return strcmp(x->title, y->title);
}

/* Within one thread, the entry with most time comes first. */
static int by_title_and_thread(const void *a, const void *b)
{
	const struct culprit *x = a, *y = b;
	int order = by_title(a, b);

	if (order || x->tid != y->tid)
		return order ?: (x->tid > y->tid) - (x->tid < y->tid);
	return (x->ns < y->ns) - (x->ns > y->ns);
}

/* Within one title as well, so that the first one has most of the time. */
static int by_title_and_time(const void *a, const void *b)
{
	const struct culprit *x = a, *y = b;
	int order = by_title(a, b);

	return order ?: (x->ns < y->ns) - (x->ns > y->ns);
}

/* Those that were added up come last: they have no name. */
static int culprits_largest_first(const void *a, const void *b)
{
	const struct culprit *x = a, *y = b;

	if (culprit_has_name(x) != culprit_has_name(y))
		return culprit_has_name(x) ? -1 : 1;
	return (x->ns < y->ns) - (x->ns > y->ns) ?: by_title(a, b);
}

/* The first thread of a process has the number of the process. */
static uint32_t culprits_process_of(const struct culprit *culprit)
{
	return culprit->pid ?: culprit->tid;
}

static void merge_process(struct culprit *sum, const struct culprit *more)
{
	if (!culprits_process_of(sum) || culprits_process_of(sum) != culprits_process_of(more)) {
		sum->pid = sum->tid = 0;
	} else if (!sum->pid) {
		sum->pid = more->pid;
		sum->process = more->process;
	}
}

static void merge_waits(struct culprit *sum, const struct culprit *more)
{
	sum->entries += more->entries;
	sum->ns += more->ns;
	sum->waits.messages += more->waits.messages;
	if (more->waits.worst_ns > sum->waits.worst_ns) {
		sum->waits.worst_ns = more->waits.worst_ns;
		sum->waits.worst_cpu = more->waits.worst_cpu;
	}
	if (memcmp(&sum->alike, &more->alike, sizeof(sum->alike)))
		sum->alike = (struct blame_waits){0};
}

struct blame_waits culprit_waits(const struct culprit *culprit)
{
	if (culprit->threads == 1 || culprit->entries == 1)
		return culprit->waits;
	if (culprit->alike.entries == culprit->entries)
		return culprit->alike;
	return (struct blame_waits){0};
}

/* A thread may have one entry as the sender of messages and one for all others. */
static uint32_t merge_threads(struct culprit *culprit, uint32_t cnt)
{
	uint32_t merged = 0;

	qsort(culprit, cnt, sizeof(*culprit), by_title_and_thread);
	for (uint32_t i = 0; i < cnt; i++) {
		struct culprit *last = merged ? &culprit[merged - 1] : NULL;

		if (!last || last->tid != culprit[i].tid || by_title(last, &culprit[i]))
			culprit[merged++] = culprit[i];
		else
			merge_waits(last, &culprit[i]);
	}
	return merged;
}

static uint32_t merge_titles(struct culprit *culprit, uint32_t cnt)
{
	uint32_t merged = 0;

	qsort(culprit, cnt, sizeof(*culprit), by_title_and_time);
	for (uint32_t i = 0; i < cnt; i++) {
		struct culprit *last = merged ? &culprit[merged - 1] : NULL;

		if (!last || by_title(last, &culprit[i])) {
			culprit[merged++] = culprit[i];
			continue;
		}
		merge_waits(last, &culprit[i]);
		merge_process(last, &culprit[i]);
		last->threads = last->threads && culprit[i].threads ? last->threads + 1 : 0;
	}
	qsort(culprit, merged, sizeof(*culprit), culprits_largest_first);
	return merged;
}

struct culprit *culprits_of(const struct summary *summary, struct blame_list list, uint32_t *cnt)
{
	struct culprit *culprit = calloc(list.cnt + 1, sizeof(*culprit));

	for (uint32_t i = 0; culprit && i < list.cnt; i++)
		culprit[i] = culprits_culprit_of(summary, &list.blame[i]);
	*cnt = culprit ? merge_titles(culprit, merge_threads(culprit, list.cnt)) : 0;
	return culprit;
}

bool culprit_is_thread(const struct culprit *culprit)
{
	return blame_classes[culprit->class].is_thread;
}

bool culprit_has_name(const struct culprit *culprit)
{
	return !culprit_is_thread(culprit) || culprit->threads;
}

/* "pid 4711", "pid 11, tid 12", "pid 11, 3 threads", "3 threads" */
static void culprits_thread_words(const struct culprit *culprit, char words[NAME_LEN])
{
	const char *pid = PID(culprits_process_of(culprit));

	if (culprit->threads > 1 && culprit->pid)
		snprintf(words, NAME_LEN, "%.16s, %u threads", pid, culprit->threads);
	else if (culprit->threads > 1)
		snprintf(words, NAME_LEN, "%u threads", culprit->threads);
	else if (culprit->pid && culprit->pid != culprit->tid)
		snprintf(words, NAME_LEN, "%.16s, %.16s", pid, TID(culprit->tid));
	else
		snprintf(words, NAME_LEN, "%s", pid);
}

/* " of java": a thread may have another name than its process. */
static void process_words(const struct culprit *culprit, char words[NAME_LEN])
{
	size_t length = culprit->process ? strlen(culprit->process) : 0;
	bool has_its_name = length && !strncmp(culprit->title, culprit->process, length) &&
			    culprit->title[length] == ' ';

	words[0] = '\0';
	if (culprit->pid && length && !has_its_name)
		snprintf(words, NAME_LEN, "of %.*s ", RECORD_COMM_LEN, culprit->process);
}

static void culprits_thread_title(const struct culprit *culprit, char words[2 * NAME_LEN])
{
	const char *remarks = strrchr(culprit->title, '(');
	char thread[NAME_LEN], process[NAME_LEN];
	bool has_remarks = remarks && remarks != culprit->title && remarks[-1] == ' ';

	snprintf(words, 2 * NAME_LEN, "%s", culprit->title);
	if (!culprit_is_thread(culprit) || !culprit->is_named || !culprit->threads ||
	    (culprit->threads == 1 && tid_is_outside(culprit->tid)))
		return;
	culprits_thread_words(culprit, thread);
	process_words(culprit, process);
	if (has_remarks)
		snprintf(words, 2 * NAME_LEN, "%.*s%.24s(%.48s, %.48s",
			 (int)(remarks - culprit->title), culprit->title, process, thread,
			 remarks + 1);
	else
		snprintf(words, 2 * NAME_LEN, "%s %.24s(%.36s)", culprit->title, process, thread);
}

const char *culprit_name(const struct culprit *culprit, char words[2 * NAME_LEN])
{
	culprits_thread_title(culprit, words);
	if (culprit->class == BLAME_THROTTLED && culprit->is_named) {
		snprintf(words, 2 * NAME_LEN, "the CPU %s", culprit->title);
		return words;
	}
	return blame_classes[culprit->class].culprit ?: words;
}

void culprits_add(struct paragraph *paragraph, const struct summary *summary,
		  struct blame_list list, double all_ns)
{
	double more_ns = 0;
	uint32_t cnt, more = 0;
	struct culprit *culprit;

	culprit = culprits_of(summary, list, &cnt);
	for (uint32_t i = 0; i < cnt; i++) {
		char words[2 * NAME_LEN];

		if (i && (i >= CULPRITS_NAMED || culprit[i].ns < IS_NAMED * all_ns)) {
			more_ns += culprit[i].ns;
			more++;
			continue;
		}
		paragraph_add(paragraph, "%s%s %s", i ? ", " : "", culprit_name(&culprit[i], words),
			      PERCENT(culprit[i].ns / all_ns));
	}
	if (more)
		paragraph_add(paragraph, ", %u other%s %s", more, plural(more),
			      PERCENT(more_ns / all_ns));
	free(culprit);
}

void culprit_move_words(struct paragraph *line, const struct blame *by, uint32_t pid)
{
	bool is_real_time = by->policy == SCHED_FIFO || by->policy == SCHED_RR;
	char number[NAME_LEN] = "PID";

	if (pid && !(pid & TID_OUTSIDE))
		snprintf(number, sizeof(number), "%u", pid);
	paragraph_add(
		line,
		"move %s to another CPU (taskset -acp <CPU> %s), or lower its priority (%s %s)",
		by->comm, number, is_real_time ? "chrt -a -o -p 0" : "renice 10", number);
}
