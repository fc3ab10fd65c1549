// SPDX-License-Identifier: BSD-2-Clause
/*
 * Answers requests, and logs what it did when.
 *
 *	service [OPTIONS] ADDRESS LOGDIR
 *	-u BYTES	of a request and of an answer (64)
 *	-r READER	block, poll or epoll (edge-triggered)
 *	-t N		this many threads on one socket
 *	-f N		this many forked processes on one socket
 *	-p		accept here, and pass the connections to a forked process
 *	-g		answer all requests of one receive with one send
 *	-s PATH		the side pipe: a FIFO
 *	-i NUMBER	goes on in a process that has sent so many messages, and does not say that
 * it is ready
 */
#include "ends.h"
#include "passing.h"
#include "request.h"
#include "workers.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/resource.h>

#define ENDS_MAX 1024

static struct {
	const char *reader, *dir, *name;
	size_t unit;
	bool together, passes;
	bool leaves; /* has no part in further connections */
	int side;
} options = {.reader = "block", .unit = 64, .side = -1};

static struct end entrance;

/* Waits for a byte that has nothing to do with any request. */
static void read_side(void)
{
	uint64_t enter_ns = now_ns();
	struct head head;
	ssize_t bytes = read(options.side, &head, sizeof(head));

	if (bytes > 0)
		log_add(LOG_RECEIVE, enter_ns, now_ns(), bytes, head);
}

/* The same process goes on as a new program, with this connection. */
static _Noreturn void become_new(const struct end *end)
{
	char address[64], unit[16], number[16];

	log_write(options.dir);
	snprintf(address, sizeof(address), "fd:%d,%d", end->in, end->out);
	snprintf(unit, sizeof(unit), "%zu", options.unit);
	snprintf(number, sizeof(number), "%u", log_number);
	execl("/proc/self/exe", options.name, "-u", unit, "-i", number, address, options.dir, NULL);
	die("cannot exec");
}

static void wait_in_vain(uint64_t ns)
{
	struct timespec time = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
	uint32_t word = 0;

	syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, word, &time, NULL, 0);
}

static void prepare(const struct request *request)
{
	if (request->op == OP_SPIN)
		spin(request->ns);
	if (request->op == OP_SLEEP)
		nap(request->ns);
	if (request->op == OP_WAIT)
		wait_in_vain(request->ns);
}

/* Returns whether this process still has the connection. */
static bool follow_up(const struct end *end, const struct request *request)
{
	uint64_t begin_ns = now_ns();
	char rest;

	switch (request->op) {
	case OP_BUSY:
		spin(request->ns);
		log_add(LOG_BUSY, begin_ns, now_ns(), 0, request->head);
		return true;
	case OP_BLOCK:
		read_side();
		return true;
	case OP_EXIT:
		/* The caller ends with its answer; tracing ends with this process. */
		while (read(end->in, &rest, sizeof(rest)) > 0)
			;
		log_write(options.dir);
		exit(EXIT_SUCCESS);
	case OP_EXEC:
		become_new(end);
	case OP_FORK:
		if (fork())
			return false;
		log_forget();
		options.leaves = true;
		return true;
	}
	return true;
}

static void answer(struct end *end, size_t cnt)
{
	char data[65536] = {0};
	size_t size = cnt * options.unit;
	uint64_t enter_ns;

	for (size_t i = 0; i < cnt; i++) {
		struct head head = log_next();

		memcpy(data + i * options.unit, &head, sizeof(head));
	}
	enter_ns = now_ns();
	if (end_send(end, data, size) != (ssize_t)size)
		die("cannot answer");
	for (size_t i = 0; i < cnt; i++)
		log_add(LOG_SEND, enter_ns, now_ns(), size,
			*(struct head *)(data + i * options.unit));
}

/*
 * The kernel counts sleeps; a clock cannot distinguish a sleep from a pause of the whole machine.
 */
static struct rusage switches(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage;
}

/* What was done for a request, and whether that was on the CPU all the time. */
static void log_service(uint64_t begin_ns, uint64_t begin_cpu_ns, const struct rusage *begin,
			struct head head)
{
	struct rusage end = switches();
	uint64_t used_ns = cpu_ns() - begin_cpu_ns, end_ns = now_ns();

	log_add(LOG_SERVICE, begin_ns, end_ns, used_ns, head);
	if (end.ru_nvcsw > begin->ru_nvcsw)
		log_add(LOG_SLEPT, begin_ns, end_ns, end.ru_nvcsw - begin->ru_nvcsw, head);
	if (end.ru_nivcsw > begin->ru_nivcsw)
		log_add(LOG_PREEMPTED, begin_ns, end_ns, end.ru_nivcsw - begin->ru_nivcsw, head);
}

/* Bytes taken; 0: this connection is no longer ours; < 0: see errno. */
static ssize_t serve(struct end *end)
{
	uint64_t enter_ns = now_ns(), exit_ns, begin_cpu_ns;
	const struct request *request;
	struct rusage begin;
	char data[65536];
	ssize_t bytes = end_receive(end, data, sizeof(data));
	size_t cnt = bytes > 0 ? bytes / options.unit : 0;

	exit_ns = now_ns();
	begin_cpu_ns = cpu_ns();
	begin = switches();
	for (size_t i = 0; i < cnt; i++) {
		request = (struct request *)(data + i * options.unit);
		log_add(LOG_RECEIVE, enter_ns, exit_ns, bytes, request->head);
		prepare(request);
		log_service(exit_ns, begin_cpu_ns, &begin, request->head);
		if (!options.together)
			answer(end, 1);
		else if (i == cnt - 1)
			answer(end, cnt);
		if (!follow_up(end, request))
			return 0;
	}
	return bytes;
}

/* From the process that passes connections. in < 0: none came. */
static struct end next_connection(void)
{
	int fd = options.passes ? pass_take(entrance.in) : accept(entrance.in, NULL, NULL);

	return fd < 0 ? (struct end){.in = -1} : end_of_fds(fd, fd);
}

static void serve_blocking(void)
{
	struct end end = entrance;

	while (!ended) {
		if (entrance.listens)
			end = next_connection();
		while (end.in >= 0 && !ended && serve(&end) > 0)
			;
		if ((!entrance.listens && !ended) || options.leaves)
			return;
		if (entrance.listens && end.in >= 0)
			end_close(&end);
	}
}

static void serve_polling(void)
{
	struct pollfd waits[ENDS_MAX] = {{.fd = entrance.in, .events = POLLIN}};
	struct end ends[ENDS_MAX] = {entrance};
	int cnt = 1;

	while (!ended && poll(waits, cnt, -1) >= 0) {
		for (int i = cnt - 1; i > 0 || (i == 0 && !entrance.listens); i--) {
			if (!waits[i].revents || serve(&ends[i]) > 0)
				continue;
			end_close(&ends[i]);
			ends[i] = ends[--cnt];
			waits[i] = waits[cnt];
		}
		if (!entrance.listens || !waits[0].revents)
			continue;
		ends[cnt] = next_connection();
		waits[cnt] = (struct pollfd){.fd = ends[cnt].in, .events = POLLIN};
		cnt += ends[cnt].in >= 0;
	}
}

static void watch(int epoll, struct end *ends, struct end end)
{
	struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.fd = end.in};

	if (end.in < 0)
		return;
	fcntl(end.in, F_SETFL, O_NONBLOCK);
	ends[end.in] = end;
	epoll_ctl(epoll, EPOLL_CTL_ADD, end.in, &event);
}

/* Edge-triggered: everything is taken before it waits again. */
static void serve_epoll(void)
{
	static struct end ends[ENDS_MAX];
	struct epoll_event events[16];
	int epoll = epoll_create1(0), cnt;

	watch(epoll, ends, entrance);
	while (!ended && (cnt = epoll_wait(epoll, events, 16, -1)) >= 0) {
		for (int i = 0; i < cnt; i++) {
			struct end *end = &ends[events[i].data.fd], fresh;
			ssize_t bytes;

			while (end->listens && (fresh = next_connection()).in >= 0)
				watch(epoll, ends, fresh);
			while (!end->listens && (bytes = serve(end)) != -1)
				if (!bytes)
					break;
			if (!end->listens && (!bytes || errno != EAGAIN))
				end_close(end);
		}
	}
	close(epoll);
}

static void *work(void *none)
{
	if (is(options.reader, "poll"))
		serve_polling();
	else if (is(options.reader, "epoll"))
		serve_epoll();
	else
		serve_blocking();
	log_write(options.dir);
	return none;
}

/* The only worker gets its connections from here. */
static void pass_connections(void)
{
	int listener = entrance.in, pair[2], fd;
	pid_t worker;

	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair))
		die("cannot make a pair of sockets");
	entrance.in = entrance.out = pair[1];
	start_children(&worker, 1, work);
	ready();
	while (!ended)
		if ((fd = accept(listener, NULL, NULL)) >= 0)
			pass_on(pair[0], fd);
	end_children(&worker, 1);
	log_write(options.dir);
}

static void fork_workers(int cnt)
{
	pid_t children[WORKERS_MAX];

	start_children(children, cnt, work);
	ready();
	while (!ended)
		pause();
	end_children(children, cnt);
}

static void run(int threads, int children)
{
	if (options.passes) {
		pass_connections();
	} else if (children) {
		fork_workers(children);
	} else if (threads) {
		ready();
		work_in_threads(threads, work);
	} else {
		if (!log_number)
			ready();
		work(NULL);
	}
}

int main(int argc, char **argv)
{
	int option, threads = 0, children = 0;

	while ((option = getopt(argc, argv, "u:r:t:f:pgs:i:")) != -1) {
		switch (option) {
		case 'u':
			options.unit = atoi(optarg);
			break;
		case 'r':
			options.reader = optarg;
			break;
		case 't':
			threads = atoi(optarg);
			break;
		case 'f':
			children = atoi(optarg);
			break;
		case 'p':
			options.passes = true;
			break;
		case 'g':
			options.together = true;
			break;
		case 's':
			options.side = open(optarg, O_RDWR);
			break;
		case 'i':
			log_number = atoi(optarg);
			break;
		}
	}
	options.name = argv[0];
	options.dir = argv[optind + 1];
	log_begin();
	entrance = server_open(argv[optind]);
	run(threads, children);
	while (wait(NULL) > 0 || errno == EINTR) /* of OP_FORK */
		;
	return EXIT_SUCCESS;
}
