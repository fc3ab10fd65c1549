/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs a shell command as a background load. The argument of --load is a command unless a load has
 * this name.
 */
#include "load/kind.h"
#include "util/proc_stat.h"

#include <stdbool.h>
#include <sys/wait.h>
#include <time.h>

/* A command that cannot be run, such as a misspelt load, ends within this time. */
#define START_MS 200
#define CHECK_MS 10

/*
 * On a busy machine a command may not even have run for BEGUN_NS by then. It then gets up to
 * START_MS_MAX.
 */
#define BEGUN_NS     50000000
#define START_MS_MAX 5000

/* Whether a process is running or waits for a CPU. */
static bool command_is_runnable(pid_t pid)
{
	char text[STAT_LEN];
	const char *stat = process_stat(pid, text);

	return stat && *stat == 'R';
}

/* Whether a process has hardly run yet because it waits for a CPU. */
static bool waits_for_cpu(pid_t pid)
{
	struct timespec had;
	clockid_t clock;

	if (!command_is_runnable(pid) || clock_getcpuclockid(pid, &clock) ||
	    clock_gettime(clock, &had))
		return false;
	return !had.tv_sec && had.tv_nsec < BEGUN_NS;
}

static int load_command_run(struct site *site)
{
	const char *const argv[] = {"/bin/sh", "-c", site->command, NULL};
	pid_t pid = site_spawn(argv, NO_STREAMS);
	int status;

	if (pid < 0)
		return site_fail_ended(site, "it", pid);
	for (unsigned int ms = 0;; ms += CHECK_MS) {
		bool waits = ms < START_MS || (ms < START_MS_MAX && waits_for_cpu(pid));

		if (waitpid(pid, &status, WNOHANG) == pid)
			return site_fail_ended(site, "it", status);
		if (!waits)
			break;
		site_sleep_ms(CHECK_MS);
	}
	site_ready(site);
	return site_fail_ended(site, "it", site_wait(pid));
}

const struct load_kind command_load = {
	.run = load_command_run,
};
