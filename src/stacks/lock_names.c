/* SPDX-License-Identifier: BSD-2-Clause */
/* Leaves out the functions that take locks, by their names. */
#include "stacks/lock_names.h"

#include "bpf/stack_sample.h"
#include "stacks/kallsyms.h"
#include "util/log.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * How the names of functions begin that take locks, in kernel/locking and for sockets, from Linux
 * 5.19 on. Those of one family differ between kernels and preemption models.
 */
static const char *const of_locks[] = {
	/* spinlocks and rwlocks */
	"_raw_", "__raw_", "do_raw_", "queued_", "native_queued_", "__pv_queued_", "pv_queued_",
	"resilient_", "mcs_spin_", "raw_spin_", "__lock_text_",
	/* mutexes */
	"mutex_", "__mutex_", "ww_mutex_", "__ww_", "osq_",
	/* rwsems, their variant for each CPU, and semaphores */
	"rwsem_", "__rwsem_", "down_", "__down_", "percpu_down_", "__percpu_down_", "percpu_rwsem_",
	/* PREEMPT_RT */
	"rt_mutex_", "__rt_mutex_", "rtlock_", "rt_spin_", "rt_read_", "rt_write_", "rwbase_",
	"__rwbase_",
	/* the lock of a socket, which has a spinlock in it */
	"lock_sock_", "__lock_sock", "release_sock", "__release_sock",
	/* the tracepoints */
	"trace_contention_", "__traceiter_contention_", NULL};

/* These are locks from the first to the last letter. */
static const char *const locks[] = {"down", NULL};

struct lock_names {
	const char *path;
	struct kallsyms *kernel; /* NULL: see `has_tried` */
	bool has_tried;
};

struct lock_names *lock_names__new(const char *path)
{
	struct lock_names *names = calloc(1, sizeof(*names));

	if (names)
		names->path = path;
	return names;
}

void lock_names__free(struct lock_names *names)
{
	if (names)
		kallsyms__free(names->kernel);
	free(names);
}

static bool takes_lock(const char *name)
{
	for (size_t i = 0; of_locks[i]; i++) {
		if (!strncmp(name, of_locks[i], strlen(of_locks[i])))
			return true;
	}
	for (size_t i = 0; locks[i]; i++) {
		if (!strcmp(name, locks[i]))
			return true;
	}
	return false;
}

size_t frames_of_locking(const char *const *name, size_t cnt)
{
	size_t from = frames_of_tracing(name, cnt, STACK_BLOCKED);

	while (from < cnt && name[from] && takes_lock(name[from]))
		from++;
	return from;
}

/* Compilers clone functions, as in "pipe_write.isra.0": the name ends at the point. */
static void copy_name(const char *name, char *function, size_t size)
{
	size_t length = strcspn(name, ".");
	const char *module = strstr(name, " [");

	if (module && module < name + length)
		length = strlen(name);
	if (length >= size && module)
		length = module - name;
	snprintf(function, size, "%.*s", (int)length, name);
}

void lock_names__find(struct lock_names *names, const uint64_t *address, size_t cnt, char *function,
		      size_t size)
{
	const char *name[LOCK_FRAMES_MAX] = {0};
	size_t found;

	function[0] = '\0';
	if (!names->has_tried)
		names->kernel = kallsyms__new(names->path);
	if (!names->has_tried && !names->kernel)
		log_warning("functions of the kernel have no names: /proc/kallsyms: %s: "
			    "explanations lack those that wait for locks",
			    strerror(errno));
	names->has_tried = true;
	if (!names->kernel)
		return;
	for (size_t i = 0; i < cnt && i < LOCK_FRAMES_MAX; i++)
		name[i] = kallsyms__find(names->kernel, address[i] - 1);
	found = frames_of_locking(name, cnt < LOCK_FRAMES_MAX ? cnt : LOCK_FRAMES_MAX);
	if (found < cnt && found < LOCK_FRAMES_MAX && name[found])
		copy_name(name[found], function, size);
}
