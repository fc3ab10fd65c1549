/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Starts, watches and stops a background load. The load is the child of a supervisor process,
 * which cleans up after the load.
 */
#include "load/kinds.h"
#include "load/load.h"
#include "load/supervisor.h"
#include "util/clock.h"
#include "util/log.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* An X server on a busy machine needs this long. */
#define START_MS_MAX 20000

#define CHECK_MS     5

struct load {
	pid_t supervisor;
	bool has_ended; /* the supervisor has ended and is reaped */
	struct load_shared *shared;
};

/* Whether the supervisor has ended. Nothing of the load is left then. */
static bool supervisor_reap(struct load *load)
{
	if (!load->has_ended)
		load->has_ended = waitpid(load->supervisor, NULL, WNOHANG) != 0;
	return load->has_ended;
}

static int supervisor_start(struct load *load, const char *text, const struct caller *as,
			    int ready_fd)
{
	struct supervised supervised = {
		.kind = load_kind_find(text),
		.text = text,
		.as = as,
		.shared = load->shared,
		.ready_fd = ready_fd,
		.program = getpid(),
	};

	load->supervisor = fork();
	if (load->supervisor == 0)
		supervisor_run(&supervised);
	return load->supervisor < 0 ? -errno : 0;
}

/* 0 once the load works. -ECHILD: the load has ended, and shared->why has the reason. */
static int ready_await(int ready_fd)
{
	const int64_t until_ms = clock_now_ms() + START_MS_MAX;
	struct pollfd fd = {.fd = ready_fd, .events = POLLIN};
	char byte;

	for (;;) {
		int64_t at_ms = clock_now_ms();

		if (at_ms >= until_ms)
			return -ETIMEDOUT;
		if (poll(&fd, 1, (int)(until_ms - at_ms)) > 0)
			return read(ready_fd, &byte, 1) == 1 ? 0 : -ECHILD;
	}
}

static int load_launch(struct load *load, const char *text, const struct caller *as)
{
	int ready_fd[2];
	int err;

	if (pipe2(ready_fd, O_CLOEXEC))
		return -errno;
	err = supervisor_start(load, text, as, ready_fd[1]);
	close(ready_fd[1]);
	if (!err)
		err = ready_await(ready_fd[0]);
	close(ready_fd[0]);
	return err;
}

static struct load *load_new(void)
{
	struct load *load = calloc(1, sizeof(*load));

	if (!load)
		return NULL;
	load->shared = mmap(NULL, sizeof(*load->shared), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (load->shared == MAP_FAILED) {
		free(load);
		return NULL;
	}
	return load;
}

static void start_explain(const struct load *load, const char *text, int err,
			  char why[LOAD_WHY_LEN])
{
	const char *reason =
		err == -ETIMEDOUT ? "it did not begin to work in time" : strerror(-err);

	if (err == -ECHILD && load->shared->why[0])
		snprintf(why, LOAD_WHY_LEN, "%s", load->shared->why);
	else
		snprintf(why, LOAD_WHY_LEN,
			 "cannot start the load: '%.64s': %s: end other programs, or try another "
			 "--load",
			 text, reason);
}

struct load *load__start(const char *text, const struct caller *as, char why[LOAD_WHY_LEN])
{
	struct load *load;
	int err;

	if (load_refuse(text, why)) {
		errno = EINVAL;
		return NULL;
	}
	load = load_new();
	if (!load) {
		snprintf(why, LOAD_WHY_LEN,
			 "cannot start the load: '%.64s': %s: end other programs", text,
			 strerror(ENOMEM));
		errno = ENOMEM;
		return NULL;
	}
	err = load_launch(load, text, as);
	if (!err)
		return load;
	start_explain(load, text, err, why);
	load__stop(load);
	errno = -err;
	return NULL;
}

bool load__alive(struct load *load, char why[LOAD_WHY_LEN])
{
	if (!supervisor_reap(load))
		return true;
	snprintf(why, LOAD_WHY_LEN, "%s",
		 load->shared->why[0] ? load->shared->why
				      : "the load has ended by itself: its supervisor was killed");
	return false;
}

uint64_t load__count(const struct load *load)
{
	return atomic_load_explicit(&load->shared->count, memory_order_relaxed);
}

/* A process of the load may hang in the kernel. The supervisor then goes on waiting for it. */
static void supervisor_stop(struct load *load)
{
	const int64_t until_ms = clock_now_ms() + LOAD_STOP_MS_MAX;

	if (load->supervisor <= 0 || load->has_ended)
		return;
	kill(load->supervisor, SIGTERM);
	while (!supervisor_reap(load) && clock_now_ms() < until_ms)
		site_sleep_ms(CHECK_MS);
	if (!load->has_ended)
		log_warning(
			"cannot end the load: process %d: its children hang in the kernel: see ps, "
			"because they disturb later runs",
			load->supervisor);
}

void load__stop(struct load *load)
{
	if (!load)
		return;
	supervisor_stop(load);
	munmap(load->shared, sizeof(*load->shared));
	free(load);
}
