/* SPDX-License-Identifier: BSD-2-Clause */
/* Sets the scheduling policy and the CPUs of the threads of a workload, and explains failures. */
#include "workload/setup/sched_policy.h"

#include "util/duration.h"
#include "util/log.h"
#include "util/parse.h"

#include <errno.h>
#include <linux/sched.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* In the paper the control thread runs at SCHED_RR 97, the sender at 99. */
#define CONTROL_BELOW_SERVER 2

/* Percentage of all CPUs. The kernel admits 95 and keeps some of it for its own servers. */
#define DEADLINE_SHARE 80

/* struct sched_attr: glibc has it only since 2.41, and <linux/sched/types.h> clashes with glibc. */
struct deadline_attr {
	uint32_t size;
	uint32_t policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime_ns;
	uint64_t deadline_ns;
	uint64_t period_ns;
};

static int sched_policy_priority_of(const struct workload_spec *spec, enum policy_role role)
{
	if (role == POLICY_CLIENT)
		return spec->client_priority;
	if (role == POLICY_SENDER)
		return spec->server_priority;
	return spec->server_priority > CONTROL_BELOW_SERVER
		       ? spec->server_priority - CONTROL_BELOW_SERVER
		       : 1;
}

/* All members get the same share, and at most half a CPU each. */
static uint64_t deadline_runtime_ns(const struct workload_spec *spec)
{
	uint64_t cpus = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
	uint64_t fair = spec->period_ns * cpus / (spec->clients + 1) * DEADLINE_SHARE / 100;
	uint64_t half = spec->period_ns / 2;

	return fair < half ? fair : half;
}

static int deadline_apply(const struct workload_spec *spec)
{
	struct deadline_attr attr = {
		.size = sizeof(attr),
		.policy = SCHED_DEADLINE,
		/* Without this flag the kernel refuses to let this thread create another one. */
		.flags = SCHED_FLAG_RESET_ON_FORK,
		.runtime_ns = deadline_runtime_ns(spec),
		.deadline_ns = spec->period_ns,
		.period_ns = spec->period_ns,
	};

	return syscall(SYS_sched_setattr, 0, &attr, 0) ? -errno : 0;
}

static int fixed_apply(int policy, int priority)
{
	struct sched_param param = {.sched_priority = priority};

	return sched_setscheduler(0, policy, &param) ? -errno : 0;
}

int sched_policy_apply(const struct workload_spec *spec, enum policy_role role)
{
	switch (spec->sched_policy) {
	case POLICY_RR:
		return fixed_apply(SCHED_RR, sched_policy_priority_of(spec, role));
	case POLICY_FIFO:
		return fixed_apply(SCHED_FIFO, sched_policy_priority_of(spec, role));
	case POLICY_DEADLINE:
		/*
		 * A thread created by a SCHED_DEADLINE thread starts as SCHED_OTHER (reset on
		 * fork).
		 */
		return role == POLICY_CONTROL ? 0 : deadline_apply(spec);
	default:
		return fixed_apply(SCHED_OTHER, 0);
	}
}

void sched_policy_text(const struct workload_spec *spec, enum policy_role role, char *text,
		       size_t size)
{
	switch (spec->sched_policy) {
	case POLICY_RR:
	case POLICY_FIFO:
		snprintf(text, size, "SCHED_%s priority %d",
			 spec->sched_policy == POLICY_RR ? "RR" : "FIFO",
			 sched_policy_priority_of(spec, role));
		break;
	case POLICY_DEADLINE:
		snprintf(text, size, "SCHED_DEADLINE %s of every %s",
			 DURATION(deadline_runtime_ns(spec)), DURATION(spec->period_ns));
		break;
	default:
		snprintf(text, size, "SCHED_OTHER");
	}
}

const char *sched_policy_remedy(const struct workload_spec *spec, int err)
{
	if (err == -EPERM && geteuid() != 0)
		return "it needs CAP_SYS_NICE: run with sudo or use --policy other";
	if (err == -EPERM && spec->sched_policy == POLICY_DEADLINE)
		return "it needs CAP_SYS_NICE and all CPUs of the machine: leave taskset, cpuset "
		       "or container, or use --policy rr";
	if (err == -EPERM)
		return "this container lacks CAP_SYS_NICE, or its cgroup has no real-time share "
		       "(cpu.rt_runtime_us): run outside of it or use --policy other";
	if (err == -EBUSY)
		return "other SCHED_DEADLINE threads have reserved the CPUs: end them, or use "
		       "--policy rr";
	if (err == -EINVAL && spec->sched_policy == POLICY_DEADLINE)
		return "the kernel accepts periods from 100 us to 4 s and at least 1024 ns of "
		       "each: change --period, use fewer --clients, or --policy rr";
	return "use --policy other";
}

/* The n-th CPU of the set, counted from 0. The set has more than n. */
static unsigned int cpu_nth(const cpu_set_t *set, int n)
{
	unsigned int cpu = 0;

	while (!CPU_ISSET(cpu, set) || n-- > 0)
		cpu++;
	return cpu;
}

static void set_single(cpu_set_t *set, unsigned int cpu)
{
	CPU_ZERO(set);
	CPU_SET(cpu, set);
}

/* An empty text does not pin this side. */
static int list_find(const char *side, const char *text, const cpu_set_t *allowed, cpu_set_t *set,
		     bool *pin)
{
	cpu_set_t usable;
	int err;

	*pin = *text != '\0';
	if (!*pin)
		return 0;
	err = cpu_list_parse(text, set);
	if (err) {
		log_error("cannot pin the processes: --cpus '%s=%s': %s: "
			  "give CPU numbers and ranges such as 0-2,5",
			  side, text,
			  err == -ERANGE ? "no machine has that many CPUs" : "not a list of CPUs");
		return -EINVAL;
	}
	CPU_AND(&usable, set, allowed);
	for (unsigned int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, set) || CPU_ISSET(cpu, &usable))
			continue;
		log_error("cannot pin the processes: --cpus '%s=%s': CPU %u is absent, offline or "
			  "not allowed here: see taskset -pc $$ for the allowed ones",
			  side, text, cpu);
		return -EINVAL;
	}
	return 0;
}

static int spread_find(struct process_cpus *cpus, const cpu_set_t *allowed)
{
	unsigned int first = cpu_nth(allowed, 0);

	if (CPU_COUNT(allowed) < 2) {
		log_error("cannot pin the processes: --cpus spread: there is only CPU %u: "
			  "use --cpus one or free",
			  first);
		return -EINVAL;
	}
	set_single(&cpus->server, first);
	cpus->clients = *allowed;
	CPU_CLR(first, &cpus->clients);
	cpus->pin_server = true;
	cpus->pin_clients = true;
	cpus->one_each = true;
	return 0;
}

int cpu_affinity_find(struct process_cpus *cpus, const struct workload_spec *spec)
{
	cpu_set_t allowed;
	int err;

	*cpus = (struct process_cpus){.pin_server = false};
	if (spec->cpu_affinity == CPUS_FREE)
		return 0;
	if (sched_getaffinity(0, sizeof(allowed), &allowed)) {
		err = -errno;
		log_error("cannot pin the processes: --cpus %s: the allowed CPUs are unknown (%s): "
			  "use --cpus free",
			  cpu_affinity_names[spec->cpu_affinity], strerror(-err));
		return err;
	}
	switch (spec->cpu_affinity) {
	case CPUS_ONE:
		set_single(&cpus->server, cpu_nth(&allowed, CPU_COUNT(&allowed) - 1));
		cpus->clients = cpus->server;
		cpus->pin_server = cpus->pin_clients = true;
		return 0;
	case CPUS_SPREAD:
		return spread_find(cpus, &allowed);
	default:
		err = list_find("server", spec->server_cpus, &allowed, &cpus->server,
				&cpus->pin_server);
		return err ? err
			   : list_find("clients", spec->client_cpus, &allowed, &cpus->clients,
				       &cpus->pin_clients);
	}
}

int cpu_affinity_apply(const struct process_cpus *cpus, unsigned int process)
{
	bool pin = process ? cpus->pin_clients : cpus->pin_server;
	cpu_set_t set = process ? cpus->clients : cpus->server;

	if (!pin)
		return 0;
	if (process && cpus->one_each) {
		int turn = (int)(process - 1) % CPU_COUNT(&set);

		set_single(&set, cpu_nth(&set, turn));
	}
	return sched_setaffinity(0, sizeof(set), &set) ? -errno : 0;
}
