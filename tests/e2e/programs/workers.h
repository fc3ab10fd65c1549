/* SPDX-License-Identifier: BSD-2-Clause */
/* Several threads or processes that do the same until SIGTERM. */
#pragma once

#include "log.h"

#include <pthread.h>
#include <sys/wait.h>

#define WORKERS_MAX 64

/* SIGTERM may come just before a thread begins to wait: it is sent until the thread has ended. */
static inline void work_in_threads(int cnt, void *(*work)(void *))
{
	pthread_t threads[WORKERS_MAX];

	for (int i = 0; i < cnt; i++)
		if (pthread_create(&threads[i], NULL, work, NULL))
			die("cannot start a thread");
	while (!ended)
		pause();
	for (int i = 0; i < cnt; i++)
		while (pthread_tryjoin_np(threads[i], NULL)) {
			pthread_kill(threads[i], SIGTERM);
			nap(1000000);
		}
}

static inline void start_children(pid_t *children, int cnt, void *(*work)(void *))
{
	for (int i = 0; i < cnt; i++) {
		children[i] = fork();
		if (children[i])
			continue;
		work(NULL);
		exit(EXIT_SUCCESS);
	}
}

static inline void end_children(const pid_t *children, int cnt)
{
	for (int i = 0; i < cnt; i++)
		while (!waitpid(children[i], NULL, WNOHANG)) {
			kill(children[i], SIGTERM);
			nap(1000000);
		}
}
