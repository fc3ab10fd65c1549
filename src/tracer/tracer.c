/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loads and attaches the BPF programs for tracing, and reads their ring buffer. No other file uses
 * the generated skeletons of these programs.
 */
#include "tracer/tracer.h"

#include "ipctrace.skel.h"
#include "ipctrace_by_syscalls.skel.h"
#include "ipctrace_legacy.skel.h"
#include "tracer/bpf_failure.h"
#include "tracer/bpf_iterator.h"
#include "tracer/kernel_traits.h"
#include "tracer/links.h"
#include "tracer/map_sizes.h"
#include "tracer/programs.h"
#include "tracer/bpf_ring.h"
#include "util/clock.h"
#include "util/log.h"
#include "util/pid_namespace.h"
#include "util/read_file.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Bytes: about 2,000 stacks between two drains. */
#define SAMPLES_SIZE (8u << 20)

struct tracer {
	struct ipctrace_bpf *skel;
	struct links links;
	struct bpf_ring ring;
	struct bpf_ring samples; /* of stacks; not open without them */
	struct kernel_traits traits;
	bool detached;
	bool takes_stacks;
	int stats_fd; /* >= 0 from tracer__cost_begin() to tracer__cost_end() */
	uint64_t cost_before_ns;

	/* Valid during tracer__drain() and tracer__drain_stacks(). */
	record_put_fn *put;
	tracer_put_stack_fn *put_stack;
	void *ctx;
};

/* libbpf's messages are shown one level later than this program's. */
static int print_libbpf(enum libbpf_print_level level, const char *format, va_list args)
{
	(void)level;
	return log_get_level() < LOG_DEBUG ? 0 : vfprintf(stderr, format, args);
}

/* If that cannot be read, loading the programs shows it. */
static bool has_capability(unsigned int capability)
{
	char mask[FILE_LINE_LEN];

	return !read_field("", "/proc/self/status", "CapEff:", mask, sizeof(mask)) ||
	       strtoull(mask, NULL, 16) >> capability & 1;
}

static int check_capabilities(const struct tracer_spec *spec)
{
	enum { CAP_SYS_ADMIN = 21, CAP_PERFMON = 38, CAP_BPF = 39 };
	bool admin = has_capability(CAP_SYS_ADMIN);
	const char *missing = !admin && !has_capability(CAP_BPF)       ? "CAP_BPF"
			      : !admin && !has_capability(CAP_PERFMON) ? "CAP_PERFMON"
								       : NULL;

	if (!missing)
		return 0;
	log_error("cannot trace: no %s: tracing needs root (CAP_BPF and CAP_PERFMON): run it with "
		  "sudo%s",
		  missing, spec->attach ? "" : ", or use --no-trace");
	return -EPERM;
}

static int attach_raw(const struct bpf_program *program, long cookie, struct bpf_link **link)
{
	const char *tracepoint = strchr(bpf_program__section_name(program), '/') + 1;

	(void)cookie;
	*link = bpf_program__attach_raw_tracepoint(program, tracepoint);
	return *link ? 0 : -errno;
}

/*
 * Makes libbpf load programs as raw tracepoints, without types. 0 or -errno. Registered once:
 * libbpf 1.1 uses freed memory if a handler is unregistered and registered again.
 */
static int expect_raw(void)
{
	LIBBPF_OPTS(libbpf_prog_handler_opts, how, .prog_attach_fn = attach_raw);
	static int handler;

	if (handler <= 0)
		handler = libbpf_register_prog_handler("tp_btf+", BPF_PROG_TYPE_RAW_TRACEPOINT, 0,
						       &how);
	return handler < 0 ? handler : 0;
}

/* Opens the programs for this kernel, without loading them. `types`: see struct tracer_spec. */
static struct ipctrace_bpf *open_programs(const struct kernel_traits *traits, const char *types)
{
	LIBBPF_OPTS(bpf_object_open_opts, how, .btf_custom_path = types);
	struct ipctrace_bpf *skel = calloc(1, sizeof(*skel));

	if (!skel)
		return NULL;
	errno = -ipctrace_bpf__create_skeleton(skel);
	/* Built from the same sources: what the first object has, these have, too. */
	if (!errno && traits->legacy)
		skel->skeleton->data = ipctrace_legacy_bpf__elf_bytes(&skel->skeleton->data_sz);
	else if (!errno && traits->by_syscalls)
		skel->skeleton->data =
			ipctrace_by_syscalls_bpf__elf_bytes(&skel->skeleton->data_sz);
	if (!errno)
		errno = -bpf_object__open_skeleton(skel->skeleton, &how);
	if (!errno)
		return skel;
	ipctrace_bpf__destroy(skel);
	return NULL;
}

static void say_lacking(const char *tracepoint, const char *types)
{
	if (types)
		log_error(
			"cannot trace: no tracepoint %s: --btf '%s' does not have it: name a file "
			"of BTF, made of this very kernel",
			tracepoint, types);
	else
		log_error(
			"cannot trace: no tracepoint %s: the kernel does not have it: use another "
			"kernel; ipctrace doctor shows what else is missing",
			tracepoint);
}

/* Disables programs that the session does not need or the kernel cannot run. */
static int choose_programs(struct tracer *t, const struct btf *types,
			   const struct tracer_spec *spec)
{
	struct bpf_program *program;

	bpf_object__for_each_program(program, t->skel->obj)
	{
		const char *section = bpf_program__section_name(program);
		const char *tracepoint = strchr(section, '/');

		if (!program_is_needed(bpf_program__name(program), spec, &t->traits)) {
			bpf_program__set_autoload(program, false);
			continue;
		}
		if (!tracepoint || !strncmp(section, "iter", strlen("iter")) ||
		    tracepoint_is_there(types, ++tracepoint))
			continue;
		say_lacking(tracepoint, spec->types);
		return -ENOTSUP;
	}
	return 0;
}

/* Sets what programs and maps need to know before they are loaded. */
static void configure(struct tracer *t, const struct tracer_spec *spec)
{
	t->skel->rodata->from_workload = spec->from_workload;
	t->skel->rodata->has_sched_exit = t->traits.shows_switch;
	t->skel->rodata->can_preempt = t->traits.can_preempt;
	t->skel->rodata->has_task_iter = t->traits.has_task_iter;
	t->skel->rodata->attach = spec->attach;
	t->skel->rodata->trace_connections = spec->connections;
	t->skel->rodata->address_salt = clock_now_ns();
	t->skel->rodata->self_pid = getpid();
	t->skel->rodata->in_pid_ns = t->traits.in_pid_ns;
	t->skel->rodata->trace_inet = spec->transports & TRANSPORTS_INET;
	t->skel->rodata->trace_udp = spec->transports & TRANSPORTS_UDP;
	t->skel->rodata->no_syscalls = spec->no_syscalls;
	t->skel->rodata->deep = spec->deep;
	t->skel->rodata->tick_ns = spec->deep ? clock_tick_ns() : 0;
	t->skel->rodata->drop_arguments = t->traits.drop_arguments;
	t->skel->rodata->trace_pipes = spec->transports & TRANSPORTS_PIPES;
	t->skel->rodata->trace_queues = spec->transports & TRANSPORTS_QUEUES;
	t->skel->rodata->waking_shows_data = programs_waking_shows_data(spec, &t->traits);
	bpf_map__set_max_entries(t->skel->maps.cpus, libbpf_num_possible_cpus());
	if (spec->deep)
		bpf_map__set_max_entries(t->skel->maps.contexts, libbpf_num_possible_cpus());
	bpf_map__set_max_entries(t->skel->maps.ring, bpf_ring_bytes(spec->ring_size));
	if (t->takes_stacks) {
		t->skel->rodata->stacks_over_ns = spec->stacks_ns;
		bpf_map__set_max_entries(t->skel->maps.stack_cpus, libbpf_num_possible_cpus());
		bpf_map__set_max_entries(t->skel->maps.samples, bpf_ring_bytes(SAMPLES_SIZE));
	}
	if (spec->short_lived)
		bpf_map__set_type(t->skel->maps.channels, BPF_MAP_TYPE_LRU_HASH);
	map_sizes_shrink(t->skel->obj, spec, &t->traits, t->takes_stacks);
}

/* Passes on the records of one ring buffer sample, or of one CPU's stage. */
static int put_records(void *ctx, void *data, size_t size)
{
	struct tracer *t = ctx;
	const struct record *record;
	int err = 0;

	for (size_t at = 0; at < size && !err; at += record->words * 8) {
		record = (const void *)((const char *)data + at);
		err = t->put(t->ctx, record);
	}
	return err;
}

static int tracer_put_stack(void *ctx, void *data, size_t size)
{
	struct tracer *t = ctx;

	(void)size;
	return t->put_stack(t->ctx, data);
}

static int tracer_load(struct tracer *t)
{
	int err = ipctrace_bpf__load(t->skel);

	if (err) {
		bpf_failure_say_load(err, t->traits.locks_memory);
		return err;
	}
	if (t->traits.in_pid_ns)
		err = kernel_ids_find(bpf_program__fd(t->skel->progs.find_pid_ns), 0);
	if (err < 0) {
		log_error("cannot trace: number of this PID namespace: %s: trace "
			  "from the initial namespace",
			  strerror(-err));
		return err;
	}
	err = bpf_ring_open(&t->ring, bpf_map__fd(t->skel->maps.ring));
	if (!err && t->takes_stacks)
		err = bpf_ring_open(&t->samples, bpf_map__fd(t->skel->maps.samples));
	if (err)
		bpf_failure_say("cannot map the ring buffer of BPF programs", err);
	return err;
}

/* On a kernel without socket events, programs at syscalls cannot be left out. */
static int tracer_check_level(const struct tracer_spec *spec, const struct kernel_traits *traits)
{
	if (!spec->no_syscalls || !traits->by_syscalls)
		return 0;
	log_error("cannot trace: --level light: this kernel has no socket events (sk_data_ready, "
		  "Linux 6.3) and needs probes at syscalls: use --level full");
	return -ENOTSUP;
}

static int open_chosen(struct tracer *t, const struct btf *types, const struct tracer_spec *spec)
{
	int err = t->traits.raw ? expect_raw() : 0;

	if (!err)
		t->skel = open_programs(&t->traits, spec->types);
	if (t->skel)
		return choose_programs(t, types, spec);
	err = err ? err : -errno;
	bpf_failure_say("cannot open BPF programs", err);
	return err;
}

static int open_for(struct tracer *t, const struct tracer_spec *spec)
{
	struct btf *types = kernel_types_load(spec);
	int err;

	if (!types)
		return -errno;
	kernel_traits_probe(types, spec->types, &t->traits);
	t->traits.in_pid_ns = pid_namespace_view("") == PID_VIEW_OWN;
	t->takes_stacks = programs_take_stacks(spec, &t->traits);
	err = tracer_check_level(spec, &t->traits);
	if (!err)
		err = open_chosen(t, types, spec);
	btf__free(types);
	return err;
}

struct tracer *tracer__new(const struct tracer_spec *spec)
{
	struct tracer *t;
	int err = pid_namespace_check("cannot trace");

	if (!err)
		err = check_capabilities(spec);
	if (err) {
		errno = -err;
		return NULL;
	}
	t = calloc(1, sizeof(*t));
	if (!t)
		return NULL;
	t->stats_fd = -1;
	libbpf_set_print(print_libbpf);
	err = open_for(t, spec);
	if (!err) {
		configure(t, spec);
		err = tracer_load(t);
	}
	if (!err)
		return t;
	tracer__free(t);
	errno = -err;
	return NULL;
}

bool tracer__shows_switch(const struct tracer *t)
{
	return t->traits.shows_switch;
}

int tracer__attach(struct tracer *t)
{
	int err = links_attach(&t->links, t->skel->obj);

	log_info("attaching the tracepoint programs: this kernel %s the end of a switch",
		 t->traits.shows_switch ? "shows" : "does not show");
	if (err)
		bpf_failure_say("cannot attach BPF programs", err);
	return err;
}

/*
 * A task storage map has pidfds as keys. The hash map that replaces it on old kernels has thread
 * ids.
 */
static int tracer_key_of(const struct tracer *t, pid_t pid, int fd)
{
	if (!t->traits.legacy)
		return fd;
	if (!t->traits.in_pid_ns)
		return pid;
	return kernel_ids_find(bpf_program__fd(t->skel->progs.find_pid_ns), pid) ?: -ESRCH;
}

int tracer__add_process(struct tracer *t, pid_t pid)
{
	size_t size = bpf_map__value_size(t->skel->maps.tasks);
	void *zero = calloc(1, size);
	int fd = syscall(SYS_pidfd_open, pid, 0), key, err = zero && fd >= 0 ? 0 : -errno;

	key = err ? err : tracer_key_of(t, pid, fd);
	err = key < 0 ? key : 0;
	if (!err && bpf_map_update_elem(bpf_map__fd(t->skel->maps.tasks), &key, zero, BPF_ANY))
		err = -errno;
	if (err)
		log_error("cannot trace a process: pid %d: %s", pid, strerror(-err));
	if (fd >= 0)
		close(fd);
	free(zero);
	return err;
}

void tracer__own(struct tracer *t, uint32_t pid)
{
	t->skel->bss->keeper_pid = pid;
}

uint64_t tracer__disarm(struct tracer *t)
{
	return t->skel->bss->disarmed_ns = clock_now_ns();
}

static int count_entries(int map)
{
	uint32_t key, *at = NULL;
	int cnt = 0;

	for (; !bpf_map_get_next_key(map, at, &key); at = &key)
		cnt++;
	return cnt;
}

int tracer__add_targets(struct tracer *t, const pid_t *pid, size_t cnt)
{
	int map = bpf_map__fd(t->skel->maps.processes), err = 0;
	uint32_t target = 1;

	for (size_t i = 0; i < cnt && !err; i++)
		err = bpf_map_update_elem(map, &pid[i], &target, BPF_ANY) ? -errno : 0;
	if (err)
		log_error("cannot trace the targets: %zu processes: %s", cnt, strerror(-err));
	/* Targets first: their own activity must not make them peers. */
	if (!err)
		err = bpf_iterator_run(t->skel->progs.mark_threads);
	if (!err)
		err = bpf_iterator_run(t->skel->progs.find_ends);
	if (!err)
		err = bpf_iterator_run(t->skel->progs.find_peers);
	if (!err)
		err = bpf_iterator_run(t->skel->progs.mark_threads);
	if (err)
		return err;
	t->skel->bss->armed_ns = clock_now_ns();
	/*
	 * Sockets can have appeared meanwhile, and bytes may have been written to them uncounted.
	 */
	err = bpf_iterator_run(t->skel->progs.find_peers);
	if (err)
		return err;
	t->skel->bss->is_surveyed = 1;
	return count_entries(map);
}

int tracer__find_starving(struct tracer *t)
{
	return bpf_iterator_run(t->skel->progs.find_starving);
}

ssize_t tracer__find_asleep(struct tracer *t, struct sleeper *sleeper, size_t max)
{
	ssize_t got =
		bpf_iterator_read(t->skel->progs.find_asleep, sleeper, max * sizeof(*sleeper));

	return got < 0 ? got : got / (ssize_t)sizeof(*sleeper);
}

static int read_stage(struct tracer *t, uint32_t cpu, struct stage *stage)
{
	return bpf_map_lookup_elem(bpf_map__fd(t->skel->maps.cpus), &cpu, stage) ? -errno : 0;
}

uint64_t tracer__settled_ns(struct tracer *t, uint64_t before_ns)
{
	uint32_t cpus = bpf_map__max_entries(t->skel->maps.cpus);
	struct stage stage;

	for (uint32_t cpu = 0; cpu < cpus; cpu++) {
		if (!read_stage(t, cpu, &stage) && stage.since_ns && stage.since_ns < before_ns)
			before_ns = stage.since_ns;
	}
	return before_ns;
}

/* Reads the records that are left in the stages. The programs are detached and write no more. */
static int drain_stages(struct tracer *t)
{
	uint32_t cpus = bpf_map__max_entries(t->skel->maps.cpus);
	struct stage stage;
	int err = 0;

	for (uint32_t cpu = 0; !err && cpu < cpus; cpu++) {
		err = read_stage(t, cpu, &stage);
		if (!err)
			err = put_records(t, stage.record, stage.size);
	}
	return err;
}

int tracer__drain(struct tracer *t, record_put_fn *put, void *ctx)
{
	int err;

	t->put = put;
	t->ctx = ctx;
	err = bpf_ring_drain(&t->ring, put_records, t);
	if (!err && t->detached)
		err = drain_stages(t);
	return err;
}

int tracer__drain_stacks(struct tracer *t, tracer_put_stack_fn *put, void *ctx)
{
	t->put_stack = put;
	t->ctx = ctx;
	return t->takes_stacks ? bpf_ring_drain(&t->samples, tracer_put_stack, t) : 0;
}

size_t tracer__lock_stack(const struct tracer *t, uint64_t number,
			  uint64_t address[LOCK_FRAMES_MAX])
{
	uint32_t key = number - 1;
	size_t cnt = 0;

	if (!number || bpf_map_lookup_elem(bpf_map__fd(t->skel->maps.lock_stacks), &key, address))
		return 0;
	while (cnt < LOCK_FRAMES_MAX && address[cnt])
		cnt++;
	return cnt;
}

bool tracer__is_held_up(const struct tracer *t)
{
	return bpf_ring_is_held_up(&t->ring) ||
	       (t->takes_stacks && bpf_ring_is_held_up(&t->samples));
}

struct ring_gauge tracer__gauge(const struct tracer *t)
{
	return (struct ring_gauge){.read = t->ring.read,
				   .written = t->ring.written,
				   .size = bpf_map__max_entries(t->skel->maps.ring)};
}

void tracer__detach(struct tracer *t)
{
	links_detach(&t->links);
	t->detached = true;
}

int tracer__losses(struct tracer *t, uint64_t loss[NR_LOSSES])
{
	uint64_t run_ns;

	memcpy(loss, t->skel->bss->losses, NR_LOSSES * sizeof(loss[0]));
	return program_stats_sum(t->skel->obj, &t->traits, &run_ns, &loss[LOSS_RECURSION]);
}

uint64_t tracer__lost(const struct tracer *t)
{
	uint64_t lost = 0;

	for (int i = 0; i < NR_LOSSES; i++)
		lost += t->skel->bss->losses[i];
	return lost;
}

bool tracer__takes_stacks(const struct tracer *t)
{
	return t->takes_stacks;
}

void tracer__sample_counts(const struct tracer *t, uint64_t count[NR_SAMPLE_COUNTS])
{
	memcpy(count, t->skel->bss->sample_counts, NR_SAMPLE_COUNTS * sizeof(count[0]));
}

int tracer__cost_begin(struct tracer *t)
{
	uint64_t misses;

	t->stats_fd = bpf_enable_stats(BPF_STATS_RUN_TIME);
	if (t->stats_fd < 0)
		return -errno;
	return program_stats_sum(t->skel->obj, &t->traits, &t->cost_before_ns, &misses);
}

int tracer__cost_end(struct tracer *t, uint64_t *ns)
{
	uint64_t misses;
	int err;

	if (t->stats_fd < 0)
		return -EINVAL;
	err = program_stats_sum(t->skel->obj, &t->traits, ns, &misses);
	close(t->stats_fd);
	t->stats_fd = -1;
	*ns -= t->cost_before_ns;
	return err;
}

void tracer__free(struct tracer *t)
{
	if (!t)
		return;
	if (t->stats_fd >= 0)
		close(t->stats_fd);
	links_detach(&t->links);
	bpf_ring_close(&t->ring);
	bpf_ring_close(&t->samples);
	ipctrace_bpf__destroy(t->skel);
	free(t);
}
