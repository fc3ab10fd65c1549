/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the CPUs for the server and the clients (--cpus), and pins threads to these CPUs. */
#include "util/cpu_list.h"
#include "util/log.h"
#include "workload/setup/cpu_affinity.h"

#include <errno.h>
#include <string.h>

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

static void one_find(struct process_cpus *cpus, const cpu_set_t *allowed)
{
	unsigned int last = cpu_nth(allowed, CPU_COUNT(allowed) - 1);

	set_single(&cpus->server, last);
	set_single(&cpus->clients, last);
	cpus->pin_server = true;
	cpus->pin_clients = true;
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

static int lists_find(struct process_cpus *cpus, const struct workload_spec *spec,
		      const cpu_set_t *allowed)
{
	int err = list_find("server", spec->server_cpus, allowed, &cpus->server, &cpus->pin_server);

	if (!err)
		err = list_find("clients", spec->client_cpus, allowed, &cpus->clients,
				&cpus->pin_clients);
	return err;
}

int cpu_affinity_find(struct process_cpus *cpus, const struct workload_spec *spec)
{
	cpu_set_t allowed;

	*cpus = (struct process_cpus){.pin_server = false};
	if (spec->cpu_affinity == CPUS_FREE)
		return 0;
	if (sched_getaffinity(0, sizeof(allowed), &allowed)) {
		int err = -errno;

		log_error("cannot pin the processes: --cpus %s: the allowed CPUs are unknown (%s): "
			  "use --cpus free",
			  cpu_affinity_names[spec->cpu_affinity], strerror(-err));
		return err;
	}
	switch (spec->cpu_affinity) {
	case CPUS_ONE:
		one_find(cpus, &allowed);
		return 0;
	case CPUS_SPREAD:
		return spread_find(cpus, &allowed);
	default:
		return lists_find(cpus, spec, &allowed);
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
