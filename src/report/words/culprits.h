/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Merges the blame for run queue time by name. One culprit is one thread or interrupt, or all
 * threads of one class with the same name, for example those of a pool. In an attach the relation
 * to the target counts instead of the class: the same thread may be the sender of one message, and
 * only in the way of another.
 */
#pragma once

#include "insight/services.h"
#include "report/words/labels.h"
#include "report/words/paragraph.h"

struct culprit {
	enum blame_class class; /* if the report shows no relation */
	enum blame_relation relation;
	uint32_t client;        /* of the run, 1..N; 0: none of its clients */
	uint32_t tid;           /* the one with most of `ns`; 0: of several processes */
	uint32_t threads;       /* how many; 0: not known */
	uint32_t pid;           /* their process; 0: the thread itself, several, or not known */
	const char *process;    /* its name; borrowed from the summary */
	bool is_named;          /* its name is known */
	const struct blame *by; /* the first one of those that are merged here; borrowed */
	char title[NAME_LEN];   /* "make (nice 0)" */
	double ns;
	uint32_t entries; /* of the summary that are merged here */
	struct blame_waits waits;
	struct blame_waits alike; /* of all that are merged here, if its `entries` are as many */
};

/* The messages that waited for it, and the longest wait. 0: not known. */
struct blame_waits culprit_waits(const struct culprit *culprit);

/* The culprits, most time first, and those without a name last. The caller frees the array. NULL:
 * out of memory, and *cnt is 0. */
struct culprit *culprits_of(const struct summary *summary, struct blame_list list, uint32_t *cnt);

/* Whether it is a thread, of a process or of the kernel, so that it has a number. */
bool culprit_is_thread(const struct culprit *culprit);

/* False: it is several threads that were added up, as there were too many. */
bool culprit_has_name(const struct culprit *culprit);

/*
 * The name with the number of the process, and of the thread if that is another number:
 * "make (pid 4711, nice 0)", "make (3 threads, nice 0)", "worker of java (pid 11, tid 12, nice 0)";
 * "a CPU leaving idle", "ipctrace itself". Returns `words`, or a constant text.
 */
const char *culprit_name(const struct culprit *culprit, char words[2 * NAME_LEN]);

/*
 * Adds the culprits with most time, with their shares of `all_ns`: "hog (pid 4711, nice 0) 70 %, a
 * CPU leaving idle 2.1 %, 6 others 0.3 %".
 */
void culprits_add(struct paragraph *paragraph, const struct summary *summary,
		  struct blame_list list, double all_ns);

/*
 * "move hog to another CPU (taskset -acp <CPU> 4711), or lower its priority (renice 10 4711)".
 * `pid`: of the process, or of its first thread. The word PID takes its place if it is 0, or of
 * another PID namespace.
 */
void culprit_move_words(struct paragraph *line, const struct blame *by, uint32_t pid);
