/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements the background loads "cpu", "io" and "memory". Each load runs stress-ng, which keeps
 * one resource busy.
 */
#include "load/kind.h"
#include "util/proc_stat.h"

#include <sys/wait.h>

#define CHECK_MS     10
#define START_MS_MAX 5000

static const struct need stress_needs[] = {{"stress-ng", "stress-ng"}, {NULL, NULL}};

/* Waits until stress-ng has started its workers. */
static int stress_await(struct site *site, pid_t pid)
{
	int status;

	for (unsigned int ms = 0; ms < START_MS_MAX && !process_has_child(pid); ms += CHECK_MS) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return site_fail_ended(site, "stress-ng", status);
		site_sleep_ms(CHECK_MS);
	}
	return 0;
}

static int stress_run(struct site *site, const char *const argv[])
{
	pid_t pid = site_spawn(argv, NO_STREAMS);
	int status;

	if (pid < 0)
		return site_fail_ended(site, "stress-ng", pid);
	status = stress_await(site, pid);
	if (status)
		return status;
	site_ready(site);
	return site_fail_ended(site, "stress-ng", site_wait(pid));
}

/* "--timeout 0" is no limit. Real-time threads of a run preempt stress-ng. */
#define STRESS(site, ...)                                                                          \
	(const char *const[])                                                                      \
	{                                                                                          \
		"stress-ng", "--quiet", "--timeout", "0", "--temp-path", (site)->directory,        \
			__VA_ARGS__, NULL                                                          \
	}

/* One worker on each CPU. */
static int cpu_run(struct site *site)
{
	return stress_run(site, STRESS(site, "--cpu", "0"));
}

/* Small files, written often: the disk is busy and does not fill up. */
static int io_run(struct site *site)
{
	return stress_run(site, STRESS(site, "--hdd", "1", "--hdd-bytes", "64m", "--iomix", "1",
				       "--iomix-bytes", "64m"));
}

/* A share of the free memory, so that nothing has to be swapped out. */
static int memory_run(struct site *site)
{
	return stress_run(site, STRESS(site, "--vm", "2", "--vm-bytes", "20%"));
}

const struct load_kind cpu_load = {
	.name = "cpu",
	.summary = "keep the CPUs busy",
	.needs = stress_needs,
	.run = cpu_run,
};

const struct load_kind io_load = {
	.name = "io",
	.summary = "keep the disk busy",
	.needs = stress_needs,
	.run = io_run,
};

const struct load_kind memory_load = {
	.name = "memory",
	.summary = "keep the memory busy",
	.needs = stress_needs,
	.run = memory_run,
};
