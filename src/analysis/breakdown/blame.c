/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds up shares of CPU time, and finds the class and the name of each culprit. */
#include "analysis/breakdown/blame.h"

#include "container/step_limit.h"
#include "analysis/history/deep_events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Recordings before version 9 do not have the process of ipctrace: its name has to do. */
static bool is_ipctrace(const struct cpu_share *share, const struct record_name *name,
			struct names *names, const struct blame_roles *roles)
{
	const struct record_process *process;

	if (name_is_namer(name, roles->tracer_pid) || (name && name->flags & NAME_OWN))
		return true;
	if (!roles->tracer_pid)
		return name && !strcmp(name->comm, "ipctrace");
	process = names__process(names, share->id, share->seen_ns);
	return (process ? process->pid : share->id) == roles->tracer_pid;
}

static enum blame_class class_of_task(const struct cpu_share *share, const struct record_name *name,
				      struct names *names, const struct blame_roles *roles)
{
	if (!share->id)
		return BLAME_IDLE;
	/* A client may be the sender: it keeps its class in every message. */
	if (roles__client(roles->roles, share->id))
		return BLAME_CLIENT;
	if (share->id == roles->sender_tid)
		return BLAME_SERVER;
	if (is_ipctrace(share, name, names, roles))
		return BLAME_IPCTRACE;
	return name && name->flags & NAME_KTHREAD ? BLAME_KTHREAD : BLAME_TASK;
}

static enum blame_class blame_class_of(const struct cpu_share *share,
				       const struct record_name *name, struct names *names,
				       const struct blame_roles *roles)
{
	switch (share->kind) {
	case SLICE_IRQ:
		return BLAME_IRQ;
	case SLICE_SOFTIRQ:
		return BLAME_SOFTIRQ;
	case SLICE_TASK:
		return class_of_task(share, name, names, roles);
	case SHARE_THROTTLED:
		return BLAME_THROTTLED;
	case SHARE_STOLEN:
		return BLAME_STEAL;
	default:
		return BLAME_UNKNOWN;
	}
}

/* The name of a share without a NAME: the group whose quota holds the thread back, or empty. */
static void group_of_share(const struct blame_roles *roles, const struct cpu_share *share,
			   char comm[RECORD_COMM_LEN])
{
	memset(comm, 0, RECORD_COMM_LEN);
	if (share->kind == SHARE_THROTTLED && roles->group)
		snprintf(comm, RECORD_COMM_LEN, "%s", group_name(roles->group));
}

/* `group`: that of the share. */
static struct blame *blame_find(struct blames *blames, uint32_t kind, uint32_t id,
				const char *group)
{
	for (uint32_t i = 0; i < blames->cnt; i++) {
		struct blame *blame = &blames->blame[i];

		step_limit_spend(1);
		if (blame->kind == kind && blame->tid == id &&
		    (kind != SHARE_THROTTLED || !strcmp(blame->comm, group)))
			return blame;
	}
	return NULL;
}

/* A new entry with its identity and no time. */
static struct blame *blame_append(struct blames *blames, const struct blame *culprit)
{
	struct blame *blame = &blames->blame[blames->cnt++];

	*blame = *culprit;
	blame->cpu = blames->cpu;
	blames->began_ns[blames->cnt - 1] = UINT64_MAX;
	blames->reserve_ns[blames->cnt - 1] = 0;
	blames->vain_ns[blames->cnt - 1] = 0;
	return blame;
}

struct blame blame_of_share(struct names *names, const struct blame_roles *roles,
			    const struct cpu_share *share)
{
	const struct record_name *name = names__find(names, share->kind, share->id, share->seen_ns);
	const struct record_process *process = NULL;
	struct blame blame = {.class = blame_class_of(share, name, names, roles),
			      .kind = share->kind,
			      .tid = share->id,
			      .cpu = BLAME_CPU_UNKNOWN};

	group_of_share(roles, share, blame.comm);
	if (share->kind == SLICE_TASK && share->id)
		process = names__process(names, share->id, share->seen_ns);
	if (process)
		blame.pid = process->pid;
	if (!name)
		return blame;
	blame.policy = name->policy;
	blame.priority = name->priority;
	memcpy(blame.comm, name->comm, sizeof(blame.comm));
	return blame;
}

/* The last entry is reserved for all shares that no longer fit. */
static struct blame *blame_entry_for(struct blames *blames, const struct cpu_share *share,
				     struct names *names, const struct blame_roles *roles)
{
	static const struct blame unknown = {.class = BLAME_UNKNOWN, .kind = SHARE_UNKNOWN};
	char group[RECORD_COMM_LEN];
	struct blame *blame, culprit;

	group_of_share(roles, share, group);
	blame = blame_find(blames, share->kind, share->id, group);
	if (blame)
		return blame;
	if (blames->cnt >= BLAMES_MAX - 1) {
		blame = blame_find(blames, SHARE_UNKNOWN, 0, group);
		return blame ? blame : blame_append(blames, &unknown);
	}
	culprit = blame_of_share(names, roles, share);
	return blame_append(blames, &culprit);
}

bool share_is_in_vain(struct deep_events *deep, const struct cpu_share *share)
{
	return deep && share->kind == SLICE_TASK &&
	       futile_wakes_at(deep_events__futile(deep), share->id, share->from_ns);
}

static void blame_add_time(struct blames *blames, const struct cpu_share *share, uint64_t ns,
			   struct names *names, const struct blame_roles *roles)
{
	struct blame *blame = blame_entry_for(blames, share, names, roles);

	blame->ns += ns;
	if (share->is_reserve)
		blames->reserve_ns[blame - blames->blame] += ns;
	else if (share_is_in_vain(roles->deep, share))
		blames->vain_ns[blame - blames->blame] += ns;
	if (share->from_ns < blames->began_ns[blame - blames->blame])
		blames->began_ns[blame - blames->blame] = share->from_ns;
	if (blame->cpu != blames->cpu)
		blame->cpu = BLAME_CPU_SEVERAL;
}

/* How much of a share the host took, as far as that is certain. */
static uint64_t stolen_of(const struct blames *blames, const struct cpu_share *share,
			  const struct blame_roles *roles)
{
	bool has_run = share->kind == SLICE_TASK || share->kind == SLICE_IRQ ||
		       share->kind == SLICE_SOFTIRQ;

	if (!roles->deep || !has_run || blames->cpu == BLAME_CPU_UNKNOWN)
		return 0;
	return deep_events__steal(roles->deep, blames->cpu, share->from_ns, share->to_ns)
		.certain_ns;
}

void blame_add(struct blames *blames, const struct cpu_shares *shares, struct names *names,
	       const struct blame_roles *roles)
{
	for (uint32_t i = 0; i < shares->cnt && step_limit_spend(STEPS_OF_SHARE); i++) {
		const struct cpu_share *share = &shares->share[i];
		uint64_t ns = share->to_ns - share->from_ns;
		uint64_t stolen_ns = stolen_of(blames, share, roles);
		struct cpu_share stolen = {.from_ns = share->from_ns, .kind = SHARE_STOLEN};

		if (ns > stolen_ns)
			blame_add_time(blames, share, ns - stolen_ns, names, roles);
		if (stolen_ns)
			blame_add_time(blames, &stolen, stolen_ns, names, roles);
	}
}

void blame_cut_wait(struct blames *blames, struct cpu_slices *cpus, const struct cpu_wait *wait)
{
	bool has_cpu = wait->cpu != SEGMENT_CPU_UNKNOWN && wait->cpu != SEGMENT_CPU_THROTTLED;

	blames->cpu = has_cpu ? wait->cpu : BLAME_CPU_UNKNOWN;
	if (wait->cpu == SEGMENT_CPU_THROTTLED)
		cpu_shares_single(&blames->shares, wait->from_ns, wait->to_ns, SHARE_THROTTLED);
	else
		cpu_slices__cut(cpus, wait, &blames->shares);
}

void blame_add_wait(struct blames *blames, struct cpu_slices *cpus, const struct cpu_wait *wait,
		    struct names *names, const struct blame_roles *roles)
{
	blame_cut_wait(blames, cpus, wait);
	blame_add(blames, &blames->shares, names, roles);
}

static int compare_blames(const void *a, const void *b)
{
	const struct blame *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	if (x->kind != y->kind)
		return x->kind > y->kind ? 1 : -1;
	return (x->tid > y->tid) - (x->tid < y->tid);
}

void blame_sort(struct blames *blames)
{
	if (blames->cnt > 1)
		qsort(blames->blame, blames->cnt, sizeof(blames->blame[0]), compare_blames);
}
