/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds out which tracepoints, helpers and functions the kernel has. The kernel's type information
 * (BTF) contains the names.
 */
#include "tracer/kernel_traits.h"

#include <bpf/btf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_hidden(const char *tracepoint)
{
	const char *word = getenv("IPCTRACE_WITHOUT");
	size_t size = strlen(tracepoint);

	while (word) {
		size_t length = strcspn(word, ",");

		if (length == size && !strncmp(word, tracepoint, size))
			return true;
		word = word[length] ? word + length + 1 : NULL;
	}
	return false;
}

bool tracepoint_is_there(const struct btf *types, const char *name)
{
	char type[128];

	snprintf(type, sizeof(type), "btf_trace_%s", name);
	return !is_hidden(name) && btf__find_by_name_kind(types, type, BTF_KIND_TYPEDEF) > 0;
}

/*
 * Whether a thread can be preempted inside a program: tracepoints are then guarded by their own
 * SRCU. Older kernels have an SRCU of that name for the few tracepoints that fire where RCU does
 * not watch, but no struct tracepoint_ext.
 */
static bool tracepoints_preempt(const struct btf *types)
{
	return btf__find_by_name_kind(types, "tracepoint_ext", BTF_KIND_STRUCT) > 0 &&
	       btf__find_by_name_kind(types, "tracepoint_srcu_srcu_data", BTF_KIND_VAR) > 0;
}

/* The type of the arguments of a tracepoint's programs. NULL: there is no such tracepoint. */
static const struct btf_type *arguments_of(const struct btf *types, const char *name)
{
	const struct btf_type *type;
	char text[128];
	int id;

	snprintf(text, sizeof(text), "btf_trace_%s", name);
	id = btf__find_by_name_kind(types, text, BTF_KIND_TYPEDEF);
	if (id < 0)
		return NULL;
	type = btf__type_by_id(types, btf__type_by_id(types, id)->type);
	return btf__type_by_id(types, type->type);
}

/* The first argument is not of the event, but the context of the tracepoint's function. */
static enum switch_state tracepoint_switch_state(const struct btf *types)
{
	enum { SECOND = 2, COUNT_WITHOUT_STATE = 4 };
	const struct btf_type *type = arguments_of(types, "sched_switch");

	if (!type || !btf_is_func_proto(type))
		return SWITCH_STATE_LAST;
	if (btf_vlen(type) <= COUNT_WITHOUT_STATE)
		return SWITCH_WITHOUT_STATE;
	return btf_is_ptr(btf__type_by_id(types, btf_params(type)[SECOND].type))
		       ? SWITCH_STATE_LAST
		       : SWITCH_STATE_SECOND;
}

static bool helper_is_there(const struct btf *types, const char *name)
{
	int id = btf__find_by_name_kind(types, "bpf_func_id", BTF_KIND_ENUM);
	const struct btf_type *type = id > 0 ? btf__type_by_id(types, id) : NULL;
	char text[128];

	snprintf(text, sizeof(text), "BPF_FUNC_%s", name);
	for (int i = 0; type && i < btf_vlen(type); i++) {
		if (!strcmp(btf__name_by_offset(types, btf_enum(type)[i].name_off), text))
			return !is_hidden(name);
	}
	return false;
}

static bool function_is_there(const struct btf *types, const char *name)
{
	return btf__find_by_name_kind(types, name, BTF_KIND_FUNC) > 0;
}

void kernel_traits_probe(const struct btf *types, bool foreign, struct kernel_traits *traits)
{
	/* The youngest helper that the programs need. */
	bool legacy = foreign || !helper_is_there(types, "task_pt_regs");
	bool by_syscalls = legacy || !tracepoint_is_there(types, "sk_data_ready") ||
			   !tracepoint_is_there(types, "sock_send_length") ||
			   !tracepoint_is_there(types, "sock_recv_length") ||
			   !function_is_there(types, "bpf_rdonly_cast");

	*traits = (struct kernel_traits){
		.shows_switch = tracepoint_is_there(types, "sched_exit_tp"),
		.can_preempt = !legacy && tracepoints_preempt(types),
		.has_task_iter = !legacy && function_is_there(types, "bpf_iter_task_new"),
		.shows_uring = !by_syscalls && tracepoint_is_there(types, "io_uring_complete"),
		.shows_cpu_irqs = tracepoint_is_there(types, "local_timer_entry"),
		.shows_idle = tracepoint_is_there(types, "cpu_idle"),
		.shows_stacks = !foreign && helper_is_there(types, "get_task_stack"),
		.by_syscalls = by_syscalls,
		.legacy = legacy,
		.raw = foreign,
		/*
		 * This helper came with the same kernel version. libbpf tests it for the same
		 * purpose.
		 */
		.locks_memory = !helper_is_there(types, "ktime_get_coarse_ns"),
		.switch_state = tracepoint_switch_state(types),
	};
}
