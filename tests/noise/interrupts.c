// SPDX-License-Identifier: BSD-2-Clause
/*
 * Keeps each CPU in interrupts at random, until it is killed:
 *
 *	interrupts LONGEST_US SHARE_PERCENT
 *
 * A theft takes up to LONGEST_US of a CPU, and all of them take SHARE_PERCENT of its time. The line
 * "ready" on standard output says that they have begun.
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "interrupts.skel.h"

/* bpf_timer_init() may find no memory while another CPU is in the allocator. */
#define START_TRIES 1000

static void die(const char *what, const char *which, int err)
{
	fprintf(stderr, "interrupts: %s: %s: %s\n", what, which, strerror(err));
	exit(1);
}

/* The number from 1 to `max` that `text` is. */
static unsigned long number(const char *text, unsigned long max)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (*end || !value || value > max) {
		fprintf(stderr, "interrupts: cannot read a number: %s: use one from 1 to %lu\n",
			text, max);
		exit(2);
	}
	return value;
}

static struct interrupts_bpf *load(unsigned long longest_us, unsigned long share, int cpus)
{
	struct interrupts_bpf *skel = interrupts_bpf__open();

	if (!skel)
		die("cannot open", "the BPF program", errno);
	skel->rodata->theft_ns_max = longest_us * 1000;
	/* Both are uniform: the means are as the maxima. */
	skel->rodata->pause_ns_max = longest_us * 1000 * (100 - share) / share;
	bpf_map__set_max_entries(skel->maps.thieves, cpus);
	if (interrupts_bpf__load(skel))
		die("cannot load", "the BPF program: be root", errno);
	return skel;
}

/* This thread goes to the CPU, because the timer stays where it is started. */
static void start_on(const struct interrupts_bpf *skel, int cpu)
{
	int program = bpf_program__fd(skel->progs.thief_start);
	struct bpf_test_run_opts options = {.sz = sizeof(options)};
	cpu_set_t set;
	char name[16];

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	snprintf(name, sizeof(name), "CPU %d", cpu);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("cannot run on", name, errno);
	for (int i = 0; i < START_TRIES; i++) {
		if (bpf_prog_test_run_opts(program, &options))
			die("cannot start the timer", name, errno);
		if ((int)options.retval != -ENOMEM)
			break;
		usleep(1000);
	}
	if (options.retval)
		die("cannot start the timer (needs Linux 5.17)", name, -(int)options.retval);
}

int main(int argc, char **argv)
{
	int cpus = libbpf_num_possible_cpus();
	struct interrupts_bpf *skel;
	cpu_set_t allowed;

	if (argc != 3) {
		fprintf(stderr, "usage: interrupts LONGEST_US SHARE_PERCENT\n");
		return 2;
	}
	if (cpus < 0)
		die("cannot count", "the CPUs", -cpus);
	skel = load(number(argv[1], 100000), number(argv[2], 90), cpus);
	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		die("cannot read", "the allowed CPUs", errno);
	for (int cpu = 0; cpu < cpus && cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &allowed))
			start_on(skel, cpu);
	sched_setaffinity(0, sizeof(allowed), &allowed);
	puts("ready");
	fclose(stdout);
	for (;;)
		pause();
}
