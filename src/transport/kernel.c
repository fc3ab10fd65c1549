/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements the transport "kernel", in which a BPF timer (bpf/tick/) replaces the kernel module
 * of the GRAME paper. At each tick, the timer writes the time into memory that all clients map,
 * and wakes all clients. No process sends a message.
 *
 * When all clients have joined, the server starts the timer with an empty send() to LINK_SERVER.
 * The server stops the timer with close(). receive() fills the message with zeros. last_handover()
 * returns the time of the tick and the time at which the tick was due.
 *
 * To wake the clients, the timer writes a dummy record into a BPF ring buffer. Each client sleeps
 * in epoll_wait() on this buffer. The epoll instances are edge-triggered, so that every wakeup
 * reaches every client. Clients remove old records so that the buffer never fills. The last record
 * stays, because epoll ignores wakeups of an empty buffer.
 *
 * The kernel wakes the clients in the reverse order of their joining. Which client runs first
 * depends on the CPUs on which the clients wake up.
 */
#include "transport/common.h"
#include "transport/transport.h"

#include "bpf/tick/tick.h"
#include "tick.skel.h"
#include "util/clock.h"
#include "util/memory.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

#define MESSAGE_MAX         ((size_t)1 << 20)

#define START_TRIES         1000
#define START_TRY_PERIOD_NS NSEC_PER_MSEC

struct medium {
	size_t size;
	uint64_t period_ns;
	struct tick_bpf *skel;
	const struct tick_page *page;
	size_t page_size;

	/* bytes written into the ring buffer so far */
	const uint64_t *written;
	uint64_t *read;
};

struct end {
	struct medium *medium;
	uint32_t seat;        /* LINK_SERVER or the client's number */
	int epoll_fd;         /* client; else -1 */
	uint64_t round;       /* client: the next round */
	bool closed_reported; /* client: the end of the ticks is reported */
	struct handover handover;
};

static size_t kernel_size_max(void)
{
	return MESSAGE_MAX;
}

static int kernel_print_nothing(enum libbpf_print_level level, const char *format,
				va_list arguments)
{
	(void)level;
	(void)format;
	(void)arguments;
	return 0;
}

/*
 * Loads the BPF programs without messages of libbpf; the caller reports errors. NULL and errno on
 * failure.
 */
static struct tick_bpf *skeleton_load(void)
{
	libbpf_print_fn_t before = libbpf_set_print(kernel_print_nothing);
	struct tick_bpf *skel = tick_bpf__open_and_load();
	int err = errno;

	libbpf_set_print(before);
	errno = err;
	return skel;
}

static bool transport_kernel_is_realtime(void)
{
	struct utsname kernel;

	return !access("/sys/kernel/realtime", F_OK) ||
	       (!uname(&kernel) && strstr(kernel.version, "PREEMPT_RT"));
}

static const char *timer_refuse(void)
{
	static char text[MEMORY_REMEDY_LEN + 64];
	struct tick_bpf *skel = skeleton_load();
	char remedy[MEMORY_REMEDY_LEN];

	if (skel) {
		tick_bpf__destroy(skel);
		return NULL;
	}
	if (errno == ENOMEM || memory_is_short()) {
		snprintf(text, sizeof(text), "no memory for a timer in the kernel: %s",
			 memory_remedy(remedy));
		return text;
	}
	if (errno == EPERM && geteuid())
		return "a timer in the kernel needs CAP_BPF and CAP_PERFMON: run it with sudo, or "
		       "use --transport eventfd";
	if (errno == EPERM)
		return "the kernel permits no BPF programs, for want of CAP_BPF or because it is "
		       "locked down: see dmesg, or use --transport eventfd";
	if (transport_kernel_is_realtime())
		return "a kernel with PREEMPT_RT has no BPF timers: use --transport eventfd, or a "
		       "kernel without";
	return "this kernel has no BPF timers, which came with Linux 5.15: use --transport eventfd";
}

static const char *kernel_refuse(const struct workload_spec *spec)
{
	if (strcmp(spec->pattern, "push"))
		return "the kernel's timer sends and cannot be answered: use --pattern push";
	if (!spec->period_ns)
		return "the kernel's timer needs a period: use --period 10ms";
	if (spec->reader == READER_POLL)
		return "poll does not wait for the kernel's wake-up, but for data: use --reader "
		       "block or epoll";
	return timer_refuse();
}

static void *map_pages(int fd, size_t size, int protection, off_t offset)
{
	void *pages = mmap(NULL, size, protection, MAP_SHARED, fd, offset);

	return pages == MAP_FAILED ? NULL : pages;
}

/* Mapped before the fork, so that every process has it, whatever its privileges later. */
static int medium_map(struct medium *medium)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int bell = bpf_map__fd(medium->skel->maps.bell);

	medium->page_size = (sizeof(struct tick_page) + page - 1) / page * page;
	medium->page =
		map_pages(bpf_map__fd(medium->skel->maps.pages), medium->page_size, PROT_READ, 0);
	medium->read = map_pages(bell, page, PROT_READ | PROT_WRITE, 0);
	medium->written = map_pages(bell, page, PROT_READ, (off_t)page);
	return medium->page && medium->read && medium->written ? 0 : -errno;
}

static void unmap(const void *pages, size_t size)
{
	if (pages)
		munmap((void *)pages, size);
}

/* The unprivileged server can run programs too: it has their descriptors from the driver. */
static int program_run(const struct bpf_program *program, void *context, uint32_t size)
{
	struct bpf_test_run_opts options = {
		.sz = sizeof(options),
		.ctx_in = context,
		.ctx_size_in = size,
	};
	int err = bpf_prog_test_run_opts(bpf_program__fd(program), &options);

	return err ? -errno : (int)options.retval;
}

static void kernel_destroy(struct medium *medium)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (!medium)
		return;
	if (medium->skel)
		program_run(medium->skel->progs.tick_stop, NULL, 0);
	unmap(medium->page, medium->page_size);
	unmap(medium->read, page);
	unmap(medium->written, page);
	tick_bpf__destroy(medium->skel);
	free(medium);
}

static struct medium *kernel_create(const struct medium_spec *spec)
{
	struct medium *medium = calloc(1, sizeof(*medium));
	int err = 0;

	if (!medium)
		return NULL;
	medium->size = spec->size;
	medium->period_ns = spec->period_ns;
	medium->skel = skeleton_load();
	err = medium->skel ? medium_map(medium) : -errno;
	if (!err)
		return medium;
	kernel_destroy(medium);
	errno = -err;
	return NULL;
}

static struct end *kernel_open(struct medium *medium, uint32_t seat)
{
	struct end *end = calloc(1, sizeof(*end));
	int err = 0;

	if (!end)
		return NULL;
	*end = (struct end){.medium = medium, .seat = seat, .epoll_fd = -1};
	if (seat != LINK_SERVER) {
		end->epoll_fd = epoll_of(bpf_map__fd(medium->skel->maps.bell), EPOLLIN | EPOLLET);
		err = end->epoll_fd < 0 ? end->epoll_fd : 0;
	}
	if (!err)
		return end;
	free(end);
	errno = -err;
	return NULL;
}

/*
 * bpf_timer_init() allocates without waiting for locks (kmalloc_nolock() since Linux 6.18,
 * GFP_ATOMIC before). It may fail while another CPU is in the allocator, so it is tried again.
 */
static int tick_start(const struct medium *medium)
{
	struct tick_request request = {.period_ns = medium->period_ns};
	int err = -ENOMEM;

	for (int i = 0; i < START_TRIES && err == -ENOMEM; i++) {
		if (i)
			clock_sleep_until(clock_now_ns() + START_TRY_PERIOD_NS);
		err = program_run(medium->skel->progs.tick_start, &request, sizeof(request));
	}
	return err;
}

static int kernel_send(struct end *end, uint32_t to, const void *data, size_t size, bool wait)
{
	(void)data;
	(void)wait;
	if (end->seat != LINK_SERVER || to != LINK_SERVER || size)
		return -EOPNOTSUPP;
	return tick_start(end->medium);
}

/* The timer cannot wake clients while the ring buffer is full. One record stays: see above. */
static void bell_make_room(const struct medium *medium)
{
	uint64_t written = __atomic_load_n(medium->written, __ATOMIC_ACQUIRE);

	if (written - __atomic_load_n(medium->read, __ATOMIC_RELAXED) > TICK_BELL_SIZE / 2)
		__atomic_store_n(medium->read, written - TICK_BELL_RECORD, __ATOMIC_RELEASE);
}

static uint64_t rounds(const struct tick_page *page)
{
	return __atomic_load_n(&page->rounds, __ATOMIC_ACQUIRE);
}

/* Skips ticks that are overwritten or could be overwritten while they are read. */
static void tick_read(struct end *end, uint64_t enter_ns)
{
	const struct tick_page *page = end->medium->page;
	struct tick tick;

	do {
		if (rounds(page) - end->round >= TICKS_CNT)
			end->round = rounds(page) - TICKS_CNT / 2;
		tick = page->ticks[end->round & (TICKS_CNT - 1)];
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	} while (rounds(page) - end->round >= TICKS_CNT);
	end->handover = (struct handover){
		.send_ns = tick.stamp_ns,
		.queued_ns = tick.queued_ns,
		.enter_ns = enter_ns,
		.exit_ns = clock_now_ns(),
		.position = end->round++,
		.due_ns = tick.due_ns,
	};
}

static ssize_t kernel_transport_receive(struct end *end, void *data, size_t size, uint32_t *from)
{
	const struct tick_page *page = end->medium->page;
	uint64_t enter_ns = clock_now_ns();

	*from = LINK_SERVER;
	while (rounds(page) == end->round) {
		int err;

		if (end->closed_reported)
			return -ECONNRESET;
		if (__atomic_load_n(&page->stopped, __ATOMIC_ACQUIRE) &&
		    rounds(page) == end->round) {
			end->closed_reported = true;
			return 0;
		}
		bell_make_room(end->medium);
		err = readable_await(end->epoll_fd, -1);
		if (err)
			return err;
	}
	tick_read(end, enter_ns);
	if (size > end->medium->size)
		size = end->medium->size;
	memset(data, 0, size);
	return (ssize_t)size;
}

static const struct handover *kernel_last_handover(const struct end *end)
{
	return &end->handover;
}

static void kernel_close(struct end *end)
{
	if (end->seat == LINK_SERVER)
		program_run(end->medium->skel->progs.tick_stop, NULL, 0);
	else
		close(end->epoll_fd);
	free(end);
}

const struct transport_ops kernel_transport = {
	.name = "kernel",
	.summary = "shared memory; no server: a timer in the kernel writes messages",
	.id = TRANSPORT_KERNEL,
	.notes_handover = true,
	.kernel_sends = true,
	.refuse = kernel_refuse,
	.size_max = kernel_size_max,
	.create = kernel_create,
	.open = kernel_open,
	.send = kernel_send,
	.receive = kernel_transport_receive,
	.last_handover = kernel_last_handover,
	.close = kernel_close,
	.destroy = kernel_destroy,
};
