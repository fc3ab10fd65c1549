/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace.h"

#include "log.h"
#include "tracepoint.h"
#include "ipctrace.skel.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define TWIN "_twin"

struct trace {
	struct ipctrace_bpf *skel;
	struct ring_buffer *ring;
	bool shows_switch;
	bool can_preempt; /* threads within programs */
	bool by_calls;	  /* no events of sockets */
	bool detached;
	int stats_fd; /* >= 0 between cost_begin and cost_end */
	uint64_t cost_before_ns;

	/* During trace__drain(). */
	trace_put_fn *put;
	void *ctx;
	int put_error;
};

/* libbpf's own chatter is one level lower than ours. */
static int print_libbpf(enum libbpf_print_level level, const char *format, va_list args)
{
	(void)level;
	return log_get_level() < LOG_DEBUG ? 0 : vfprintf(stderr, format, args);
}

static bool has_capability(unsigned int capability)
{
	FILE *status = fopen("/proc/self/status", "re");
	unsigned long long effective = 0;
	char line[256];

	while (status && fgets(line, sizeof(line), status)) {
		if (sscanf(line, "CapEff: %llx", &effective) == 1)
			break;
	}
	if (status)
		fclose(status);
	return effective >> capability & 1;
}

static int check_capabilities(void)
{
	enum { CAP_SYS_ADMIN = 21, CAP_PERFMON = 38, CAP_BPF = 39 };
	bool admin = has_capability(CAP_SYS_ADMIN);
	const char *missing = !admin && !has_capability(CAP_BPF)       ? "CAP_BPF"
			      : !admin && !has_capability(CAP_PERFMON) ? "CAP_PERFMON"
								       : NULL;

	if (!missing)
		return 0;
	log_error("cannot trace: no %s: tracing needs root (CAP_BPF and CAP_PERFMON): run it with "
		  "sudo, or use --no-trace",
		  missing);
	return -EPERM;
}

#define UNIX_MESSAGES (1u << TRANSPORT_UDS | 1u << TRANSPORT_UDS_SEQPACKET)
#define TCP	      (1u << TRANSPORT_TCP | 1u << TRANSPORT_TCP6)
#define UDP	      (1u << TRANSPORT_UDP | 1u << TRANSPORT_UDP6)
#define INET	      (TCP | UDP)
#define SOCKETS	      (UNIX_MESSAGES | 1u << TRANSPORT_UDS_STREAM | INET)
#define PIPES	      (1u << TRANSPORT_PIPE | 1u << TRANSPORT_FIFO)
#define QUEUES	      (1u << TRANSPORT_MQUEUE | 1u << TRANSPORT_SYSV)
#define ANY	      (~0u)

/* When a program is loaded: any of these. */
enum {
	ON_EVENTS = 1, /* the kernel has events of sockets */
	ON_CALLS = 2,  /* it has none: system calls tell */
	ON_ATTACH = 4,
};

/* Programs that are not needed always. */
static const struct part {
	const char *program;
	uint32_t transports; /* 1 << enum transport_id of those that need it */
	uint32_t when;
} parts[] = {
	{"on_data_ready", SOCKETS, ON_EVENTS},
	{"on_send_length", SOCKETS, ON_EVENTS},
	{"on_recv_length", SOCKETS, ON_EVENTS},
	{"on_copy_datagram", UNIX_MESSAGES, ON_EVENTS},
	{"on_socket_call_exit", SOCKETS, ON_CALLS},
	{"on_socket_copy", UNIX_MESSAGES, ON_CALLS},
	{"on_socket_consume", UDP, ON_CALLS},
	{"on_tcp_probe", TCP, ON_CALLS},
	{"on_net_dev_queue", UDP, ON_CALLS | ON_ATTACH},
	{"on_kfree_skb", UDP, ON_CALLS | ON_ATTACH},
	{"find_ends", ANY, ON_ATTACH},
	{"find_peers", ANY, ON_ATTACH},
	{"mark_threads", ANY, ON_ATTACH},
	{"on_sched_exec", ANY, ON_ATTACH},
};

/* Whether there is no other event of some data's becoming visible. */
static bool waking_tells(const struct trace *t, const struct trace_spec *spec)
{
	return (PIPES | QUEUES | (t->by_calls ? SOCKETS : 0)) & spec->transports;
}

/*
 * A receiver that falls asleep while its message comes is told from one that sleeps for something
 * else by when its waking began.
 */
static bool needs_waking(const struct trace *t, const struct trace_spec *spec)
{
	return !spec->ticks || waking_tells(t, spec);
}

/* One that stands in for the program before it, see bpf/preempt.bpf.h. */
static bool is_twin(const struct bpf_program *program)
{
	const char *name = bpf_program__name(program);
	size_t length = strlen(name), end = strlen(TWIN);

	return length > end && !strcmp(name + length - end, TWIN);
}

/* Whether a program, or a twin of it, has this name. */
static bool is_called(const struct bpf_program *program, const char *name)
{
	size_t length = strlen(name);
	const char *end = bpf_program__name(program) + length;

	return !strncmp(bpf_program__name(program), name, length) && (!*end || !strcmp(end, TWIN));
}

static bool is_needed(const struct trace *t, const struct bpf_program *program,
		      const struct trace_spec *spec)
{
	uint32_t now = (t->by_calls ? ON_CALLS : ON_EVENTS) | (spec->attach ? ON_ATTACH : 0);

	if (is_twin(program) && !t->can_preempt)
		return false;
	if (is_called(program, "on_sched_exit"))
		return t->shows_switch;
	if (is_called(program, "on_sched_waking"))
		return needs_waking(t, spec);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (is_called(program, parts[i].program))
			return parts[i].transports & spec->transports && parts[i].when & now;
	}
	return true;
}

/* What this kernel has, by which programs are chosen. */
static void probe(struct trace *t, const struct btf *kernel)
{
	t->shows_switch = tracepoint_is_there(kernel, "sched_exit_tp");
	t->can_preempt = tracepoints_preempt(kernel);
	t->by_calls = !tracepoint_is_there(kernel, "sk_data_ready") ||
		      !tracepoint_is_there(kernel, "sock_send_length") ||
		      !tracepoint_is_there(kernel, "sock_recv_length");
	/* What calls tell of is reckoned with as numbers. */
	t->skel->rodata->can_cast =
		!t->by_calls &&
		btf__find_by_name_kind(kernel, "bpf_rdonly_cast", BTF_KIND_FUNC) > 0;
	t->skel->rodata->has_task_iter =
		btf__find_by_name_kind(kernel, "bpf_iter_task_new", BTF_KIND_FUNC) > 0;
}

/* Switches off what is not needed, and what this kernel can do without. */
static int choose_programs(struct trace *t, const struct trace_spec *spec)
{
	struct btf *kernel = btf__load_vmlinux_btf();
	struct bpf_program *program;
	int err = 0;

	if (!kernel) {
		err = -errno;
		log_error("cannot trace: no type information of the kernel: "
			  "/sys/kernel/btf/vmlinux: %s: use a kernel with CONFIG_DEBUG_INFO_BTF",
			  strerror(-err));
		return err;
	}
	probe(t, kernel);
	bpf_object__for_each_program(program, t->skel->obj)
	{
		const char *section = bpf_program__section_name(program);
		const char *tracepoint = strchr(section, '/') + 1;

		if (!is_needed(t, program, spec)) {
			bpf_program__set_autoload(program, false);
			continue;
		}
		if (!strncmp(section, "iter", strlen("iter")) || tracepoint_is_there(kernel, tracepoint))
			continue;
		log_error("cannot trace: kernel has no tracepoint %s: use another kernel; "
			  "ipctrace doctor tells what else is missing",
			  tracepoint);
		err = -ENOTSUP;
		break;
	}
	btf__free(kernel);
	return err;
}

/* The kernel wants a power of two, and whole pages. */
static size_t ring_bytes(size_t wanted)
{
	size_t bytes = sysconf(_SC_PAGESIZE);

	while (bytes < wanted)
		bytes *= 2;
	return bytes;
}

/* What programs and maps have to know before they are loaded. */
static void configure(struct trace *t, const struct trace_spec *spec)
{
	t->skel->rodata->from_workload = spec->from_workload;
	t->skel->rodata->has_sched_exit = t->shows_switch;
	t->skel->rodata->can_preempt = t->can_preempt;
	t->skel->rodata->attach = spec->attach;
	t->skel->rodata->self_pid = getpid();
	t->skel->rodata->trace_inet = spec->transports & INET;
	t->skel->rodata->by_calls = t->by_calls;
	t->skel->rodata->trace_pipes = spec->transports & PIPES;
	t->skel->rodata->trace_queues = spec->transports & QUEUES;
	t->skel->rodata->waking_tells = waking_tells(t, spec);
	bpf_map__set_max_entries(t->skel->maps.cpus, libbpf_num_possible_cpus());
	bpf_map__set_max_entries(t->skel->maps.ring, ring_bytes(spec->ring_size));
	if (spec->short_lived)
		bpf_map__set_type(t->skel->maps.channels, BPF_MAP_TYPE_LRU_HASH);
}

/* One sample of the ring buffer, or one CPU's stage: records one after the other. */
static int take_records(void *ctx, void *data, size_t size)
{
	struct trace *t = ctx;
	const struct record *record;

	for (size_t at = 0; at < size && !t->put_error; at += record->words * 8) {
		record = (const void *)((const char *)data + at);
		t->put_error = t->put(t->ctx, record);
	}
	return t->put_error;
}

static int load(struct trace *t)
{
	int err;

	err = ipctrace_bpf__load(t->skel);
	if (err) {
		log_error("cannot load BPF programs: %s: %s", strerror(-err),
			  err == -EPERM ? "is the kernel locked down? see dmesg"
					: "run with -vv to see why");
		return err;
	}
	t->ring = ring_buffer__new(bpf_map__fd(t->skel->maps.ring), take_records, t, NULL);
	if (!t->ring)
		return -errno;
	return 0;
}

struct trace *trace__new(const struct trace_spec *spec)
{
	struct trace *t;
	int err = check_capabilities();

	if (err) {
		errno = -err;
		return NULL;
	}
	t = calloc(1, sizeof(*t));
	if (!t)
		return NULL;
	t->stats_fd = -1;
	libbpf_set_print(print_libbpf);
	t->skel = ipctrace_bpf__open();
	if (!t->skel) {
		err = -errno;
		log_error("cannot open BPF programs: %s", strerror(-err));
	} else {
		err = choose_programs(t, spec);
	}
	if (!err) {
		configure(t, spec);
		err = load(t);
	}
	if (!err)
		return t;
	trace__free(t);
	errno = -err;
	return NULL;
}

bool trace__shows_switch(const struct trace *t)
{
	return t->shows_switch;
}

int trace__attach(struct trace *t)
{
	int err = ipctrace_bpf__attach(t->skel);

	log_info("attaching the tracepoint programs; this kernel %s the end of a switch",
		 t->shows_switch ? "shows" : "does not show");
	if (err)
		log_error("cannot attach BPF programs: %s: run with -vv to see why",
			  strerror(-err));
	return err;
}

/* A task storage map is written to by pidfd. */
int trace__add_process(struct trace *t, pid_t pid)
{
	size_t size = bpf_map__value_size(t->skel->maps.tasks);
	void *zero = calloc(1, size);
	int fd = syscall(SYS_pidfd_open, pid, 0), err = 0;

	if (!zero || fd < 0 ||
	    bpf_map_update_elem(bpf_map__fd(t->skel->maps.tasks), &fd, zero, BPF_ANY)) {
		err = -errno;
		log_error("cannot trace a process: pid %d: %s", pid, strerror(-err));
	}
	if (fd >= 0)
		close(fd);
	free(zero);
	return err;
}

/* An iterator works while it is read, and has nothing to say. */
static int run_iterator(const struct bpf_program *program)
{
	struct bpf_link *link = bpf_program__attach_iter(program, NULL);
	char nothing[64];
	ssize_t got = -1;
	int fd = -1, err;

	if (link)
		fd = bpf_iter_create(bpf_link__fd(link));
	if (fd >= 0) {
		do
			got = read(fd, nothing, sizeof(nothing));
		while (got > 0);
	}
	err = got < 0 ? -errno : 0;
	if (err)
		log_error("cannot look at all processes: %s: %s", bpf_program__name(program),
			  strerror(-err));
	if (fd >= 0)
		close(fd);
	bpf_link__destroy(link);
	return err;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

uint64_t trace__disarm(struct trace *t)
{
	return t->skel->bss->disarmed_ns = now_ns();
}

static int count_entries(int map)
{
	uint32_t key, *at = NULL;
	int cnt = 0;

	for (; !bpf_map_get_next_key(map, at, &key); at = &key)
		cnt++;
	return cnt;
}

int trace__add_targets(struct trace *t, const pid_t *pid, size_t cnt)
{
	int map = bpf_map__fd(t->skel->maps.processes), err = 0;
	uint32_t target = 1;

	for (size_t i = 0; i < cnt && !err; i++)
		err = bpf_map_update_elem(map, &pid[i], &target, BPF_ANY) ? -errno : 0;
	if (err)
		log_error("cannot trace a process: %zu targets: %s", cnt, strerror(-err));
	/* Targets first: what they do meanwhile must not make peers of them. */
	if (!err)
		err = run_iterator(t->skel->progs.mark_threads);
	if (!err)
		err = run_iterator(t->skel->progs.find_ends);
	if (!err)
		err = run_iterator(t->skel->progs.find_peers);
	if (!err)
		err = run_iterator(t->skel->progs.mark_threads);
	if (err)
		return err;
	t->skel->bss->armed_ns = now_ns();
	return count_entries(map);
}

static int read_stage(struct trace *t, uint32_t cpu, struct stage *stage)
{
	return bpf_map_lookup_elem(bpf_map__fd(t->skel->maps.cpus), &cpu, stage) ? -errno : 0;
}

uint64_t trace__settled_ns(struct trace *t, uint64_t before_ns)
{
	uint32_t cpus = bpf_map__max_entries(t->skel->maps.cpus);
	struct stage stage;

	for (uint32_t cpu = 0; cpu < cpus; cpu++) {
		if (!read_stage(t, cpu, &stage) && stage.since_ns && stage.since_ns < before_ns)
			before_ns = stage.since_ns;
	}
	return before_ns;
}

/* What programs have left in the stages. They are detached: nobody writes to these any more. */
static int drain_stages(struct trace *t)
{
	uint32_t cpus = bpf_map__max_entries(t->skel->maps.cpus);
	struct stage stage;
	int err = 0;

	for (uint32_t cpu = 0; !err && cpu < cpus; cpu++) {
		err = read_stage(t, cpu, &stage);
		if (!err)
			err = take_records(t, stage.record, stage.size);
	}
	return err;
}

int trace__drain(struct trace *t, trace_put_fn *put, void *ctx)
{
	int err;

	t->put = put;
	t->ctx = ctx;
	t->put_error = 0;
	err = ring_buffer__consume(t->ring);
	if (err >= 0 && t->detached)
		err = drain_stages(t);
	return err < 0 ? err : 0;
}

void trace__detach(struct trace *t)
{
	ipctrace_bpf__detach(t->skel);
	t->detached = true;
}

/*
 * What the kernel knows of all our programs together. What a program missed, its twin has done, but
 * for no more events than the twin missed itself.
 */
static int sum_programs(struct trace *t, uint64_t *run_ns, uint64_t *misses)
{
	struct bpf_program *program;
	uint64_t before = 0; /* missed by the program before this one */

	*run_ns = *misses = 0;
	bpf_object__for_each_program(program, t->skel->obj)
	{
		struct bpf_prog_info info = {};
		__u32 size = sizeof(info);
		int fd = bpf_program__fd(program);

		if (fd < 0)
			continue;
		if (bpf_obj_get_info_by_fd(fd, &info, &size))
			return -errno;
		*run_ns += info.run_time_ns;
		if (!is_twin(program))
			*misses += info.recursion_misses;
		else if (info.recursion_misses < before)
			*misses -= before - info.recursion_misses;
		before = info.recursion_misses;
	}
	return 0;
}

int trace__losses(struct trace *t, uint64_t loss[NR_LOSSES])
{
	uint64_t run_ns;

	memcpy(loss, t->skel->bss->losses, NR_LOSSES * sizeof(loss[0]));
	return sum_programs(t, &run_ns, &loss[LOSS_RECURSION]);
}

int trace__cost_begin(struct trace *t)
{
	uint64_t misses;

	t->stats_fd = bpf_enable_stats(BPF_STATS_RUN_TIME);
	if (t->stats_fd < 0)
		return -errno;
	return sum_programs(t, &t->cost_before_ns, &misses);
}

int trace__cost_end(struct trace *t, uint64_t *ns)
{
	uint64_t misses;
	int err;

	if (t->stats_fd < 0)
		return -EINVAL;
	err = sum_programs(t, ns, &misses);
	close(t->stats_fd);
	t->stats_fd = -1;
	*ns -= t->cost_before_ns;
	return err;
}

void trace__free(struct trace *t)
{
	if (!t)
		return;
	if (t->stats_fd >= 0)
		close(t->stats_fd);
	ring_buffer__free(t->ring);
	ipctrace_bpf__destroy(t->skel);
	free(t);
}
