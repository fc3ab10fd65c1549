/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements the background loads "cpu", "io" and "memory". Each load runs stress-ng, which keeps
 * one resource busy.
 */
#include "load/kind.h"
#include "util/proc_stat.h"

#include <stddef.h>

#define START_MS_MAX 5000

static const struct need stress_needs[] = {{"stress-ng", "stress-ng"}, {NULL, NULL}};

static bool stress_is_starting(pid_t pid, unsigned int ms)
{
	return ms < START_MS_MAX && !process_has_child(pid);
}

/* "--timeout 0" is no limit. Real-time threads of a run preempt stress-ng. */
#define STRESS(site, ...)                                                                          \
	site_run_on(site, "stress-ng",                                                             \
		    (const char *const[]){"stress-ng", "--quiet", "--timeout", "0", "--temp-path", \
					  (site)->directory, __VA_ARGS__, NULL},                   \
		    stress_is_starting)

/* One worker on each CPU. */
static int cpu_run(struct site *site)
{
	return STRESS(site, "--cpu", "0");
}

/* Small files, written often: the disk is busy and does not fill up. */
static int io_run(struct site *site)
{
	return STRESS(site, "--hdd", "1", "--hdd-bytes", "64m", "--iomix", "1", "--iomix-bytes",
		      "64m");
}

/* A share of the free memory, so that nothing has to be swapped out. */
static int memory_run(struct site *site)
{
	return STRESS(site, "--vm", "2", "--vm-bytes", "20%");
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
