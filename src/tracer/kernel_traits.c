/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads the kernel's types (BTF), and finds out from them what the kernel has. */
#include "tracer/kernel_traits.h"

#include "tracer/tracer_spec.h"
#include "util/log.h"
#include "util/rights.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OWN_TYPES "/sys/kernel/btf/vmlinux"

/* libbpf reports some of this as EIO only, such as an empty file or a folder. */
static const char *reason_of(const char *path, int err)
{
	struct stat file;

	if (stat(path, &file) || access(path, R_OK))
		return strerror(errno);
	if (S_ISDIR(file.st_mode))
		return "it is a directory";
	if (!S_ISREG(file.st_mode))
		return "it is no regular file";
	if (!file.st_size)
		return "it is empty";
	if (err == EINVAL)
		return "its BTF is damaged";
	return err == ENOMEM ? strerror(err) : "there is no BTF in it";
}

static bool is_same_as(const void *bytes, size_t size, FILE *file)
{
	char piece[4096];
	size_t at = 0, got;

	while ((got = fread(piece, 1, sizeof(piece), file))) {
		if (got > size - at || memcmp(piece, (const char *)bytes + at, got))
			return false;
		at += got;
	}
	return at == size;
}

/* A kernel without its own types cannot be compared. */
static bool is_of_other_kernel(const struct btf *types)
{
	FILE *own = fopen(OWN_TYPES, "re");
	__u32 size;
	const void *bytes = btf__raw_data(types, &size);
	bool differs;

	if (!own)
		return false;
	differs = !bytes || !is_same_as(bytes, size, own);
	fclose(own);
	return differs;
}

static struct btf *load_from(const char *path)
{
	struct btf *types = btf__parse(path, NULL);
	int err = errno;

	if (types && is_of_other_kernel(types)) {
		log_error("cannot trace: --btf '%s': its types are not those that this kernel has "
			  "itself, in " OWN_TYPES ": leave out --btf",
			  path);
		btf__free(types);
		errno = EINVAL;
		return NULL;
	}
	if (types)
		return types;
	log_error("cannot trace: no type information of the kernel: --btf '%s': %s: name a file of "
		  "BTF, made of this very kernel",
		  path, reason_of(path, err));
	errno = err;
	return NULL;
}

static struct btf *load_own(const struct tracer_spec *spec)
{
	struct btf *types = btf__load_vmlinux_btf();
	int err;

	/* libbpf has tried several places and returns the error of the last one. */
	if (!types)
		types = btf__parse(OWN_TYPES, NULL);
	if (types)
		return types;
	err = errno;
	if (err == ENOMEM)
		log_error("cannot trace: no memory for the kernel's types: " OWN_TYPES ": %s",
			  strerror(err));
	else
		log_error("cannot trace: no type information of the kernel: " OWN_TYPES ": %s: use "
			  "a kernel with CONFIG_DEBUG_INFO_BTF%s",
			  strerror(err), spec->attach ? "" : ", or --btf FILE");
	errno = err;
	return NULL;
}

struct btf *kernel_types_load(const struct tracer_spec *spec)
{
	struct btf *types;
	bool was_used;

	if (!spec->types)
		return load_own(spec);
	was_used = rights_lower();
	types = load_from(spec->types);
	rights_restore(was_used);
	return types;
}

/*
 * Translates a thread id of the tracer's PID namespace. The BPF program find_pid_ns() finds the id
 * in the initial PID namespace, which spans the whole machine.
 */

pid_t kernel_ids_find(int program, pid_t tid)
{
	uint64_t arguments[] = {tid};
	LIBBPF_OPTS(bpf_test_run_opts, how, .ctx_in = arguments, .ctx_size_in = sizeof(arguments));

	return bpf_prog_test_run_opts(program, &how) ? -errno : (pid_t)how.retval;
}

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

/* A test hides all but the first two, which each kernel has, with "drop_reason". */
static unsigned int count_drop_arguments(const struct btf *types)
{
	const struct btf_type *type = arguments_of(types, "kfree_skb");

	if (!type || !btf_is_func_proto(type))
		return 0;
	return is_hidden("drop_reason") ? 2 : btf_vlen(type) - 1;
}

/* Before Linux 5.11, the request is the second argument of two of them. */
static bool shows_disks(const struct btf *types)
{
	enum { COUNT_WITH_REQUEST_ONLY = 2 };
	const struct btf_type *type = arguments_of(types, "block_rq_issue");

	return type && btf_is_func_proto(type) && btf_vlen(type) == COUNT_WITH_REQUEST_ONLY &&
	       tracepoint_is_there(types, "block_rq_insert") &&
	       tracepoint_is_there(types, "block_rq_issue") &&
	       tracepoint_is_there(types, "block_rq_complete");
}

static unsigned int count_dirty_arguments(const struct btf *types)
{
	const struct btf_type *type = arguments_of(types, "balance_dirty_pages");

	if (!type || !btf_is_func_proto(type) || !tracepoint_is_there(types, "balance_dirty_pages"))
		return 0;
	return btf_vlen(type) - 1;
}

static bool shows_reclaim(const struct btf *types)
{
	return tracepoint_is_there(types, "mm_vmscan_direct_reclaim_begin") &&
	       tracepoint_is_there(types, "mm_vmscan_direct_reclaim_end") &&
	       tracepoint_is_there(types, "mm_vmscan_memcg_reclaim_begin") &&
	       tracepoint_is_there(types, "mm_vmscan_memcg_reclaim_end");
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
		.shows_timers = tracepoint_is_there(types, "hrtimer_start") &&
				tracepoint_is_there(types, "timer_start"),
		.shows_disks = shows_disks(types),
		.shows_reclaim = shows_reclaim(types),
		.shows_compaction = tracepoint_is_there(types, "mm_compaction_begin") &&
				    tracepoint_is_there(types, "mm_compaction_end"),
		.shows_retransmit = tracepoint_is_there(types, "tcp_retransmit_skb"),
		.shows_states = tracepoint_is_there(types, "inet_sock_set_state"),
		.shows_answers = tracepoint_is_there(types, "tcp_retransmit_synack"),
		.shows_stacks = !foreign && helper_is_there(types, "get_task_stack"),
		.by_syscalls = by_syscalls,
		.legacy = legacy,
		.raw = foreign,
		/*
		 * This helper came with the same kernel version. libbpf tests it for the same
		 * purpose.
		 */
		.locks_memory = !helper_is_there(types, "ktime_get_coarse_ns"),
		.shows_locks = tracepoint_is_there(types, "contention_begin") &&
			       tracepoint_is_there(types, "contention_end"),
		.shows_failed_queue = tracepoint_is_there(types, "udp_fail_queue_rcv_skb"),
		.drop_arguments = count_drop_arguments(types),
		.dirty_arguments = count_dirty_arguments(types),
		.switch_state = tracepoint_switch_state(types),
	};
}
