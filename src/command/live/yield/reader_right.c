/* SPDX-License-Identifier: BSD-2-Clause */
/* Sets how much right a thread has to a CPU: by its policy, its nice value, and its group. */
#include "command/live/yield/reader_right.h"

#include "command/live/yield/cpu_group.h"
#include "util/log.h"
#include "util/read_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define AUTOGROUP "/proc/self/autogroup" /* sched(7) */

/* setpriority(2) */
#define NICE_FIRST (-20)

struct reader_right {
	pid_t tid;
	enum right right;
	int policy; /* of the thread before; so are the next two */
	int nice;
	struct sched_param param;
	char autogroup[8];       /* nice value of the session before; empty: it is not changed */
	struct cpu_group *group; /* NULL: none */
};

/*
 * A reader with a policy of its own choice keeps it (chrt), and so does one that could not change
 * back, see sched_setscheduler(2).
 */
static bool may_idle(int policy)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = {0};

	return (policy == SCHED_OTHER || policy == SCHED_BATCH) &&
	       !syscall(SYS_capget, &header, sets) && sets[0].effective & 1U << CAP_SYS_NICE;
}

/*
 * The first process of a session has its autogroup for itself, mostly, and can set its nice value.
 * Others of the same session would be slowed down with it. The file has "/autogroup-25 nice 0".
 */
static void autogroup_find(struct reader_right *reader)
{
	char line[FILE_LINE_LEN];
	const char *nice;

	if (getsid(0) != getpid() || !read_line("", AUTOGROUP, line, sizeof(line)))
		return;
	nice = strrchr(line, ' ');
	if (nice)
		snprintf(reader->autogroup, sizeof(reader->autogroup), "%.7s", nice + 1);
}

static void autogroup_lower(const struct reader_right *reader, bool lower)
{
	const char *nice = lower ? "19" : reader->autogroup;
	int fd = reader->autogroup[0] ? open(AUTOGROUP, O_WRONLY | O_CLOEXEC) : -1;

	if (fd < 0)
		return;
	if (write(fd, nice, strlen(nice)) < 0)
		log_info("the session of the reader of records keeps its share of the CPUs: %s",
			 strerror(errno));
	close(fd);
}

/* A reader that hurries comes before other threads of the fair class, so that it is soon over. */
void reader_right__set(struct reader_right *reader, enum right right)
{
	const struct sched_param none = {0};
	bool idle = right == RIGHT_LEAST;

	if (right == reader->right)
		return;
	reader->right = right;
	if (sched_setscheduler(reader->tid, idle ? SCHED_IDLE : reader->policy,
			       idle ? &none : &reader->param) ||
	    setpriority(PRIO_PROCESS, reader->tid,
			right == RIGHT_FIRST ? NICE_FIRST : reader->nice))
		log_info("the reader of records keeps its priority: %s", strerror(errno));
	if (!reader->group)
		autogroup_lower(reader, idle);
	else if (!cpu_group__set_idle(reader->group, idle))
		log_info("the control group of the reader of records keeps its weight: %s",
			 strerror(errno));
}

struct reader_right *reader_right__new(void)
{
	struct reader_right *reader;
	int policy = sched_getscheduler(0);

	if (!may_idle(policy))
		return NULL;
	reader = calloc(1, sizeof(*reader));
	if (!reader)
		return NULL;
	reader->tid = gettid();
	reader->right = RIGHT_ORDINARY;
	reader->policy = policy;
	reader->nice = getpriority(PRIO_PROCESS, reader->tid);
	sched_getparam(0, &reader->param);
	return reader;
}

bool reader_right__stand_apart(struct reader_right *reader)
{
	reader->group = cpu_group__join("", reader->tid);
	if (!reader->group)
		autogroup_find(reader);
	return reader->group;
}

void reader_right__free(struct reader_right *reader)
{
	if (!reader)
		return;
	cpu_group__leave(reader->group);
	free(reader);
}
