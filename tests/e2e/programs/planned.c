// SPDX-License-Identifier: BSD-2-Clause
/*
 * Receives, and does something else in between by chance; notes what it did all the time, and what
 * the kernel's own accounts say of that.
 *
 *	planned [OPTIONS] ADDRESS LOGDIR
 *	-x STEPS	what it may do: letters of enum step
 *	-o PERCENT	how often it does something (50)
 *	-d NS		for how long, on average (300000)
 *	-i NS		a signal interrupts it so often; its handler does one of the first three of
 *			STEPS that it can (0: never)
 *	-S SEED		the same one does the same (1)
 *	-r READER	block, select, poll, epoll (edge-triggered) or epoll-level
 *	-s BYTES	taken with one call at most (65536)
 *	-u BYTES	one call may take several messages of this size each
 *	-t N		this many threads
 */
#include "ends.h"
#include "workers.h"

#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/select.h>

#define LOG_STEP  'T' /* bytes: enum step, slept << 8, preempted << 16; head: ns on CPU, waiting */
#define PAGE      4096
#define MOMENT_NS 10000
#define BUFFER    (64 * PAGE)

enum step {
	STEP_SPIN = 's',
	STEP_NAP = 'n',
	STEP_MEMORY = 'm', /* take fresh pages, and give them back */
	STEP_YIELD = 'y',
	STEP_POLL = 'p',   /* poll nothing, for a time */
	STEP_SELECT = 'l', /* select another pipe, on which nothing comes */
	STEP_EPOLL = 'e',  /* the same with epoll_wait */
	STEP_READ = 'r',   /* read another pipe */
	STEP_FUTEX = 'f',
	STEP_STOP = 'z',    /* SIGSTOP, until another process sends SIGCONT */
	STEP_FETCH = 'u',   /* use a page that another thread must fetch */
	STEP_MOVE = 'c',    /* to another CPU */
	STEP_BUFFER = 'b',  /* the next receive's buffer is such a page */
	STEP_WAIT = 'W',    /* in READER for the next message */
	STEP_RECEIVE = 'R', /* a receive, whatever it returns */
	STEP_REST = '.',
};

struct moment {
	uint64_t at_ns, cpu_ns, wait_ns;
	long slept, preempted;
};

struct order {
	char step;
	uint64_t ns;
};

static struct {
	const char *steps, *reader, *dir;
	uint64_t mean_ns, signal_ns;
	unsigned percent, seed;
	size_t size, unit;
} options = {
	.steps = "", .reader = "block", .mean_ns = 300000, .percent = 50, .seed = 1, .size = 65536};

static struct end source;
static int orders[2], answers[2], silent[2], faults, cpu_cnt;
static uint64_t fetch_ns;

static __thread struct moment last;
static __thread int schedstat;
static __thread unsigned chance;
static __thread bool is_noting;
static __thread enum step present; /* what a handler interrupts */
static __thread char *page;

/* One after the other, until nothing has come in between. */
static struct moment moment_now(void)
{
	struct moment moment;
	struct rusage usage;
	char text[128] = {0};
	uint64_t begin_ns;

	do {
		begin_ns = now_ns();
		if (pread(schedstat, text, sizeof(text) - 1, 0) <= 0 ||
		    sscanf(text, "%*u %lu", &moment.wait_ns) != 1)
			die("cannot read schedstat");
		getrusage(RUSAGE_THREAD, &usage);
		moment.slept = usage.ru_nvcsw;
		moment.preempted = usage.ru_nivcsw;
		moment.cpu_ns = cpu_ns();
		moment.at_ns = now_ns();
	} while (moment.at_ns - begin_ns > MOMENT_NS);
	return moment;
}

/* What it did since the last one. A signal that comes meanwhile does nothing. */
static void note(enum step step)
{
	struct moment now;
	struct head used;

	is_noting = true;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	now = moment_now();
	used = (struct head){now.cpu_ns - last.cpu_ns, now.wait_ns - last.wait_ns};
	log_add(LOG_STEP, last.at_ns, now.at_ns,
		step | (now.slept - last.slept > 255 ? 255 : now.slept - last.slept) << 8 |
			(now.preempted - last.preempted) << 16,
		used);
	last = now;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	is_noting = false;
}

static unsigned draw(unsigned below)
{
	return rand_r(&chance) / 7 % below;
}

static uint64_t draw_ns(void)
{
	return options.mean_ns / 2 + draw(options.mean_ns);
}

/* Another process, which is not stopped, does this after a while. */
static void order(char step, uint64_t ns)
{
	struct order order = {step, ns};

	if (write(orders[1], &order, sizeof(order)) != sizeof(order))
		die("cannot order");
}

static _Noreturn void obey(pid_t parent)
{
	struct order order;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (read(orders[0], &order, sizeof(order)) == sizeof(order)) {
		nap(order.ns);
		if (order.step == STEP_READ && write(answers[1], "a", 1) != 1)
			die("cannot answer");
		for (int i = 0; order.step == STEP_STOP && i < 3; i++) {
			kill(parent, SIGCONT);
			nap(300000);
		}
	}
	exit(EXIT_SUCCESS);
}

static void *fetch(void *none)
{
	struct uffd_msg message;

	(void)none;
	while (read(faults, &message, sizeof(message)) == sizeof(message)) {
		uint64_t at = message.arg.pagefault.address & ~(uint64_t)(PAGE - 1);
		struct uffdio_zeropage zero = {.range = {at, PAGE}};

		nap(fetch_ns);
		if (ioctl(faults, UFFDIO_ZEROPAGE, &zero))
			die("cannot fetch a page");
	}
	return NULL;
}

/* Memory whose first use waits until another thread provides it. */
static void page_make(void)
{
	struct uffdio_register range = {.mode = UFFDIO_REGISTER_MODE_MISSING};

	page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	range.range = (struct uffdio_range){(uintptr_t)page, PAGE};
	if (ioctl(faults, UFFDIO_REGISTER, &range))
		die("cannot watch memory");
}

static void use_memory(uint64_t ns)
{
	for (uint64_t end_ns = now_ns() + ns; now_ns() < end_ns;) {
		char *fresh = mmap(NULL, BUFFER, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		for (int at = 0; at < BUFFER; at += PAGE)
			fresh[at] = 1;
		munmap(fresh, BUFFER);
	}
}

static void select_silent(uint64_t ns)
{
	struct timeval time = {.tv_usec = ns / 1000};
	fd_set set;

	FD_ZERO(&set);
	FD_SET(silent[0], &set);
	select(silent[0] + 1, &set, NULL, NULL, &time);
}

static void epoll_silent(uint64_t ns)
{
	struct epoll_event event = {.events = EPOLLIN};
	int epoll = epoll_create1(0);

	epoll_ctl(epoll, EPOLL_CTL_ADD, silent[0], &event);
	epoll_wait(epoll, &event, 1, 1 + ns / 1000000);
	close(epoll);
}

static void read_other(uint64_t ns)
{
	char byte;

	order(STEP_READ, ns);
	while (read(answers[0], &byte, 1) < 0 && errno == EINTR && !ended)
		;
}

static void wait_in_vain(uint64_t ns)
{
	struct timespec time = {.tv_nsec = ns};
	uint32_t word = 0;

	syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, word, &time, NULL, 0);
}

static void stop(uint64_t ns)
{
	order(STEP_STOP, ns);
	raise(SIGSTOP);
}

static void use_page(void)
{
	madvise(page, PAGE, MADV_DONTNEED);
	*(volatile char *)page = 1;
}

static void move(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(draw(cpu_cnt), &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void do_step(enum step step, uint64_t ns)
{
	struct timespec time = {.tv_nsec = ns};

	switch (step) {
	case STEP_SPIN:
		spin(ns);
		break;
	case STEP_NAP:
		nap(ns);
		break;
	case STEP_MEMORY:
		use_memory(ns);
		break;
	case STEP_YIELD:
		sched_yield();
		break;
	case STEP_POLL:
		ppoll(NULL, 0, &time, NULL);
		break;
	case STEP_SELECT:
		select_silent(ns);
		break;
	case STEP_EPOLL:
		epoll_silent(ns);
		break;
	case STEP_READ:
		read_other(ns);
		break;
	case STEP_FUTEX:
		wait_in_vain(ns);
		break;
	case STEP_STOP:
		stop(ns);
		break;
	case STEP_FETCH:
		use_page();
		break;
	case STEP_MOVE:
		move();
		break;
	case STEP_BUFFER:
		madvise(page, PAGE, MADV_DONTNEED);
		break;
	default:
		break;
	}
}

/* One of its steps, or none. */
static void step_by_chance(void)
{
	enum step step;

	if (!*options.steps || draw(100) >= options.percent)
		return;
	note(STEP_REST);
	present = step = options.steps[draw(strlen(options.steps))];
	do_step(step, draw_ns());
	note(step);
	present = STEP_REST;
}

static void on_signal(int signal)
{
	size_t cnt = strspn(options.steps, "snm");
	int error = errno;
	enum step step;

	(void)signal;
	if (is_noting || !cnt)
		return;
	note(present);
	step = options.steps[draw(cnt)];
	do_step(step, draw_ns());
	note(step);
	errno = error;
}

static void signals_begin(void)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1};
	struct itimerspec time = {.it_interval.tv_nsec = options.signal_ns,
				  .it_value.tv_nsec = options.signal_ns};
	timer_t timer;

	if (!options.signal_ns)
		return;
	sigaction(SIGUSR1, &action, NULL);
	event._sigev_un._tid = gettid();
	if (timer_create(CLOCK_MONOTONIC, &event, &timer) || timer_settime(timer, 0, &time, NULL))
		die("cannot set a timer");
}

/* As recv(). */
static ssize_t take(struct end *end)
{
	static __thread char data[1 << 20];
	char *to = strchr(options.steps, STEP_BUFFER) ? page : data;
	size_t size =
		to == page && options.size > PAGE && end->kind != END_QUEUE ? PAGE : options.size;
	uint64_t enter_ns, exit_ns;
	ssize_t bytes;

	step_by_chance();
	note(STEP_REST);
	present = STEP_RECEIVE;
	enter_ns = now_ns();
	bytes = end_receive(end, to, size);
	exit_ns = now_ns();
	present = STEP_REST;
	note(STEP_RECEIVE);
	is_noting = true;
	if (bytes > 0)
		log_messages(LOG_RECEIVE, options.unit, enter_ns, exit_ns, to, bytes);
	is_noting = false;
	return bytes;
}

static int wait_once(struct end *end, int epoll)
{
	struct pollfd poll_for = {.fd = end->in, .events = POLLIN};
	struct epoll_event event;
	fd_set set;

	if (epoll >= 0)
		return epoll_wait(epoll, &event, 1, -1);
	if (is(options.reader, "poll"))
		return poll(&poll_for, 1, -1);
	FD_ZERO(&set);
	FD_SET(end->in, &set);
	return select(end->in + 1, &set, NULL, NULL, NULL);
}

/* Whether there is something to take. */
static bool wait_for(struct end *end, int epoll)
{
	int cnt;

	step_by_chance();
	note(STEP_REST);
	present = STEP_WAIT;
	while ((cnt = wait_once(end, epoll)) < 0 && errno == EINTR && !ended)
		;
	present = STEP_REST;
	note(STEP_WAIT);
	return cnt > 0;
}

static bool is_end(ssize_t bytes)
{
	return !bytes || (bytes < 0 && errno != EAGAIN && errno != EINTR);
}

static void read_waiting(struct end *end)
{
	bool is_edge = is(options.reader, "epoll");
	struct epoll_event event = {.events = is_edge ? EPOLLIN | EPOLLET : EPOLLIN};
	int epoll = -1;
	ssize_t bytes;

	fcntl(end->in, F_SETFL, O_NONBLOCK);
	if (!strncmp(options.reader, "epoll", 5)) {
		epoll = epoll_create1(0);
		epoll_ctl(epoll, EPOLL_CTL_ADD, end->in, &event);
	}
	while (!ended && wait_for(end, epoll)) {
		do
			bytes = take(end);
		while (is_edge && bytes > 0);
		if (is_end(bytes))
			return;
	}
}

static void *read_all(void *none)
{
	struct end end = source;

	chance = options.seed + gettid();
	schedstat = open("/proc/thread-self/schedstat", O_RDONLY);
	page_make();
	present = STEP_REST;
	last = moment_now();
	signals_begin();
	if (!is(options.reader, "block"))
		read_waiting(&end);
	else
		while (!ended && !is_end(take(&end)))
			;
	is_noting = true;
	log_write(options.dir);
	return none;
}

static void helpers_start(void)
{
	struct uffdio_api api = {.api = UFFD_API};
	pid_t parent = getpid();
	pthread_t fetcher;

	if (pipe(orders) || pipe(answers) || pipe(silent))
		die("cannot make pipes");
	if (!fork())
		obey(parent);
	faults = syscall(SYS_userfaultfd, 0);
	fetch_ns = options.mean_ns;
	if (faults < 0 || ioctl(faults, UFFDIO_API, &api) ||
	    pthread_create(&fetcher, NULL, fetch, NULL))
		die("cannot watch memory");
}

int main(int argc, char **argv)
{
	int option, threads = 0;

	while ((option = getopt(argc, argv, "x:o:d:i:S:r:s:u:t:")) != -1) {
		switch (option) {
		case 'x':
			options.steps = optarg;
			break;
		case 'o':
			options.percent = atoi(optarg);
			break;
		case 'd':
			options.mean_ns = atoll(optarg);
			break;
		case 'i':
			options.signal_ns = atoll(optarg);
			break;
		case 'S':
			options.seed = atoi(optarg);
			break;
		case 'r':
			options.reader = optarg;
			break;
		case 's':
			options.size = atoi(optarg);
			break;
		case 'u':
			options.unit = atoi(optarg);
			break;
		case 't':
			threads = atoi(optarg);
			break;
		}
	}
	options.dir = argv[optind + 1];
	cpu_cnt = sysconf(_SC_NPROCESSORS_ONLN);
	log_begin();
	helpers_start();
	source = server_open(argv[optind]);
	ready();
	source = end_accept(source);
	if (threads)
		work_in_threads(threads, read_all);
	else
		read_all(NULL);
	return EXIT_SUCCESS;
}
