/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs a shell command as a background load. The argument of --load is a command unless a load has
 * this name.
 */
#include "load/kind.h"
#include "util/proc_stat.h"

#include <time.h>

/* A command that cannot be run, such as a misspelt load, ends within this time. */
#define START_MS 200

/*
 * On a busy machine a command may not even have run for BEGUN_NS by then. It then gets up to
 * START_MS_MAX.
 */
#define BEGUN_NS     50000000
#define START_MS_MAX 5000

/* Whether a process has hardly run yet because it waits for a CPU. */
static bool waits_for_cpu(pid_t pid)
{
	char text[STAT_LEN];
	const char *stat = process_stat(pid, text);
	struct timespec had;
	clockid_t clock;

	if (!stat || *stat != 'R' || clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &had))
		return false;
	return !had.tv_sec && had.tv_nsec < BEGUN_NS;
}

static bool command_is_starting(pid_t pid, unsigned int ms)
{
	return ms < START_MS || (ms < START_MS_MAX && waits_for_cpu(pid));
}

static int load_command_run(struct site *site)
{
	const char *const argv[] = {"/bin/sh", "-c", site->command, NULL};

	return site_run_on(site, "it", argv, command_is_starting);
}

const struct load_kind command_load = {
	.run = load_command_run,
};
