/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens closed standard streams, and raises soft limits. */
#include "util/process_limits.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

/* The usual limit. Some functions of libbpf and of this program have frames of many KiB. */
#define STACK_WANTED (8u << 20)

/* Less than this is not enough for all maps, programs and links of an attach. */
#define FILES_FEW  256
#define FILES_GOOD 1024

static struct {
	int resource;
	struct rlimit before;
	bool is_raised;
} raised[] = {{.resource = RLIMIT_NOFILE}, {.resource = RLIMIT_STACK}};

enum { FILES, STACK, NR_RAISED };

void standard_streams_open(void)
{
	static const int mode[] = {
		[STDIN_FILENO] = O_WRONLY, [STDOUT_FILENO] = O_RDONLY, [STDERR_FILENO] = O_RDONLY};

	/* In this order, open() returns the descriptor that is closed. */
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF)
			continue;
		/* A root directory without /dev: with O_PATH, nothing can be read or written. */
		if (open("/dev/null", mode[fd]) < 0)
			open("/", O_PATH);
	}
}

static void raise_to(int which, rlim_t wanted)
{
	struct rlimit limit;

	if (getrlimit(raised[which].resource, &limit) || limit.rlim_cur >= wanted)
		return;
	raised[which].before = limit;
	limit.rlim_cur = wanted < limit.rlim_max ? wanted : limit.rlim_max;
	raised[which].is_raised = !setrlimit(raised[which].resource, &limit);
}

/* The C library has read the limit at the start, as the size of the stacks of threads. */
static void raise_of_threads(void)
{
	pthread_attr_t attr;
	size_t size;

	if (pthread_getattr_default_np(&attr))
		return;
	if (!pthread_attr_getstacksize(&attr, &size) && size < STACK_LEAST &&
	    !pthread_attr_setstacksize(&attr, STACK_LEAST))
		pthread_setattr_default_np(&attr);
	pthread_attr_destroy(&attr);
}

bool process_limits_raise(void)
{
	struct rlimit limit;

	raise_to(FILES, RLIM_INFINITY);
	raise_to(STACK, STACK_WANTED);
	raise_of_threads();
	return getrlimit(RLIMIT_STACK, &limit) || limit.rlim_cur >= STACK_LEAST;
}

void process_limits_restore(void)
{
	for (int i = 0; i < NR_RAISED; i++) {
		if (raised[i].is_raised)
			setrlimit(raised[i].resource, &raised[i].before);
	}
}

static rlim_t files_max(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_NOFILE, &limit) ? RLIM_INFINITY : limit.rlim_cur;
}

const char *files_remedy(char text[FILES_REMEDY_LEN])
{
	rlim_t max = files_max();

	snprintf(text, FILES_REMEDY_LEN,
		 "%llu at a time are too few: raise this limit (RLIMIT_NOFILE, ulimit -n %llu)",
		 (unsigned long long)max,
		 (unsigned long long)(max < FILES_GOOD ? FILES_GOOD : 2 * max));
	return text;
}

bool files_are_few(void)
{
	return files_max() < FILES_FEW;
}
