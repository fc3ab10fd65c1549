/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the time `steal` of each CPU in /proc/stat, which counts ticks since the machine started.
 */
#include "command/live/proc/steal.h"

#include "util/clock.h"

#include <ctype.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CPUS_MAX 8192

/* Longer than a line of a CPU. That of the interrupts is longer: it comes in several parts. */
#define LINE_LEN 512

struct cpu_time {
	bool is_known;
	uint64_t steal_ns;
};

struct steal {
	uint64_t at_ns;
	uint32_t cnt; /* of `cpu`, by number */
	struct cpu_time cpu[CPUS_MAX];
};

static void read_cpu(struct steal *steal, const char *line)
{
	unsigned long long ticks;
	unsigned int cpu;

	/* The first line is the sum of all CPUs. */
	if (!isdigit((unsigned char)line[strlen("cpu")]) ||
	    sscanf(line, "cpu%u %*u %*u %*u %*u %*u %*u %*u %llu", &cpu, &ticks) != 2 ||
	    cpu >= CPUS_MAX)
		return;
	steal->cpu[cpu] = (struct cpu_time){true, ticks * (NSEC_PER_SEC / sysconf(_SC_CLK_TCK))};
	if (cpu >= steal->cnt)
		steal->cnt = cpu + 1;
}

struct steal *steal__begin(const char *root)
{
	struct steal *steal = calloc(1, sizeof(*steal));
	char path[PATH_MAX], line[LINE_LEN];
	FILE *file;

	snprintf(path, sizeof(path), "%s/proc/stat", root);
	file = steal ? fopen(path, "re") : NULL;
	if (!file) {
		free(steal);
		return NULL;
	}
	steal->at_ns = clock_now_ns();
	while (fgets(line, sizeof(line), file) && !strncmp(line, "cpu", 3))
		read_cpu(steal, line);
	fclose(file);
	return steal;
}

void steal__free(struct steal *steal)
{
	free(steal);
}

static bool is_reported(const struct steal *steal)
{
	for (uint32_t i = 0; i < steal->cnt; i++) {
		if (steal->cpu[i].steal_ns)
			return true;
	}
	return false;
}

/* A CPU that was offline at one end is not known. */
static int put_cpu(const struct steal *from, const struct steal *to, uint32_t cpu,
		   record_put_fn *put, void *ctx)
{
	const struct cpu_time *before = &from->cpu[cpu], *after = &to->cpu[cpu];
	struct record_steal record = {
		.head = {.type = RECORD_STEAL, .words = RECORD_WORDS(record), .cpu = cpu},
		.steal_ns = after->steal_ns - before->steal_ns,
		.span_ns = to->at_ns - from->at_ns,
	};

	if (!before->is_known || !after->is_known || after->steal_ns < before->steal_ns)
		return 0;
	return put(ctx, &record.head);
}

int steal__end(const struct steal *steal, const char *root, record_put_fn *put, void *ctx)
{
	struct steal *now = steal ? steal__begin(root) : NULL;
	int err = 0;

	for (uint32_t i = 0; now && is_reported(now) && i < steal->cnt && !err; i++)
		err = put_cpu(steal, now, i, put, ctx);
	steal__free(now);
	return err;
}
