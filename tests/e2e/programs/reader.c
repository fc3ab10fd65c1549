// SPDX-License-Identifier: BSD-2-Clause
/*
 * Receives one way, in many manners, and logs what it received when.
 *
 *	reader [OPTIONS] ADDRESS LOGDIR
 *	-s BYTES	taken with one call at most (65536)
 *	-u BYTES	one call may take several messages of this size each
 *	-m METHOD	receive, waitall, readv, recvmmsg, splice or, by io_uring, uring (one at a
 *			time), uring-linked (two in a chain), uring-multishot (as they come),
 *			uring-sqpoll (by a thread of the kernel) or uring-async (by one of several)
 *	-k		peek at each before it is taken
 *	-r READER	block, select, pselect, poll, epoll (edge-triggered), epoll-level,
 *			epoll-exclusive, or epoll-oneshot (all threads share one)
 *	-e N		so many messages are there at least: until then, an empty one is no end
 *	-t N		this many threads
 *	-d NS		a pause before each receive (0)
 *	-b BYTES	the socket's buffer
 *	-l BYTES	SO_RCVLOWAT
 */
#include "ends.h"
#include "uring.h"
#include "workers.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/uio.h>

#define MANY   8
#define LINKED 2

static struct {
	size_t size, unit;
	const char *method, *reader, *dir;
	bool peeks;
	uint64_t delay_ns;
	uint64_t least;
} options = {.size = 65536, .method = "receive", .reader = "block"};

static struct end source;
static __thread uint64_t taken_cnt; /* messages */

/* Whether nothing more comes, by what a receive has returned. */
static bool is_end(ssize_t bytes)
{
	return bytes < 0 || (!bytes && taken_cnt >= options.least);
}

/* How many have come; an empty one is the end of a connection. */
static ssize_t receive_many(struct end *end)
{
	static __thread char data[MANY][65536];
	struct mmsghdr messages[MANY] = {0};
	struct iovec parts[MANY];
	uint64_t enter_ns, exit_ns;
	int cnt, taken = 0;

	for (int i = 0; i < MANY; i++) {
		parts[i] = (struct iovec){data[i], options.size};
		messages[i].msg_hdr.msg_iov = &parts[i];
		messages[i].msg_hdr.msg_iovlen = 1;
	}
	enter_ns = now_ns();
	cnt = recvmmsg(end->in, messages, MANY, MSG_WAITFORONE, NULL);
	exit_ns = now_ns();
	for (int i = 0; i < cnt; i++) {
		if (!messages[i].msg_len)
			continue;
		log_messages(LOG_RECEIVE, options.unit, enter_ns, exit_ns, data[i],
			     messages[i].msg_len);
		taken++;
	}
	return cnt < 0 ? cnt : taken;
}

static struct uring *ring(void)
{
	return uring_of_thread(is(options.method, "uring-sqpoll") ? IORING_SETUP_SQPOLL : 0);
}

/* Several receives, each of which begins when the one before it has ended. */
static ssize_t receive_linked(struct end *end)
{
	static __thread char data[LINKED][65536];
	uint64_t enter_ns = now_ns(), exit_ns;
	ssize_t bytes = 0;

	for (int i = 0; i < LINKED; i++)
		uring_put(ring(), (struct io_uring_sqe){.opcode = IORING_OP_RECV,
							.flags = i < LINKED - 1 ? IOSQE_IO_LINK : 0,
							.fd = end->in,
							.addr = (uintptr_t)data[i],
							.len = options.size});
	if (!uring_wait(ring(), LINKED))
		return -1;
	exit_ns = now_ns();
	for (int i = 0; i < LINKED; i++) {
		bytes = uring_result(ring());
		if (bytes > 0)
			log_messages(LOG_RECEIVE, options.unit, enter_ns, exit_ns, data[i], bytes);
	}
	return bytes;
}

static char (*shots)[65536]; /* MANY buffers */

static void give_buffers(int first, int cnt)
{
	uring_put(ring(), (struct io_uring_sqe){.opcode = IORING_OP_PROVIDE_BUFFERS,
						.flags = IOSQE_CQE_SKIP_SUCCESS,
						.fd = cnt,
						.addr = (uintptr_t)shots[first],
						.len = sizeof(shots[first]),
						.off = first});
}

/* How many results there are, and until when there were no more. */
static unsigned look(struct uring *uring, uint64_t *at_ns)
{
	unsigned cnt;

	do {
		cnt = uring_results(uring);
		*at_ns = now_ns();
	} while (cnt != uring_results(uring));
	return cnt;
}

/* They have come since the last look, whatever the thread was doing. */
static ssize_t receive_multishot(struct end *end)
{
	static __thread uint64_t looked_ns;
	static __thread bool goes_on;
	uint64_t at_ns;
	ssize_t bytes = 1;
	unsigned cnt;

	if (!shots) {
		shots = malloc(MANY * sizeof(*shots));
		give_buffers(0, MANY);
		look(ring(), &looked_ns);
	}
	if (!goes_on)
		uring_put(ring(), (struct io_uring_sqe){.opcode = IORING_OP_RECV,
							.flags = IOSQE_BUFFER_SELECT,
							.ioprio = IORING_RECV_MULTISHOT,
							.fd = end->in});
	goes_on = true;
	if (!uring_wait(ring(), 1))
		return -1;
	for (cnt = look(ring(), &at_ns); cnt; cnt--) {
		unsigned flags;
		int result = uring_take(ring(), &flags);

		goes_on = flags & IORING_CQE_F_MORE;
		bytes = result == -ENOBUFS ? 1 : result;
		if (result <= 0)
			continue;
		log_messages(LOG_RECEIVE, options.unit, looked_ns, at_ns,
			     shots[flags >> IORING_CQE_BUFFER_SHIFT], result);
		give_buffers(flags >> IORING_CQE_BUFFER_SHIFT, 1);
	}
	looked_ns = at_ns;
	return bytes;
}

static ssize_t splice_in(int from, char *data)
{
	static int ends[2];
	ssize_t bytes;

	if (!ends[1] && pipe(ends))
		die("cannot make a pipe");
	bytes = splice(from, NULL, ends[1], NULL, options.size, 0);
	return bytes <= 0 ? bytes : read(ends[0], data, bytes);
}

static ssize_t receive_one(struct end *end, char *data)
{
	struct iovec parts[] = {{data, sizeof(struct head)},
				{data + sizeof(struct head), options.size - sizeof(struct head)}};

	if (is(options.method, "readv"))
		return readv(end->in, parts, 2);
	if (is(options.method, "splice"))
		return splice_in(end->in, data);
	if (is(options.method, "waitall"))
		return recv(end->in, data, options.size, MSG_WAITALL);
	if (is(options.method, "uring") || is(options.method, "uring-sqpoll") ||
	    is(options.method, "uring-async"))
		return uring_call(ring(), end->kind == END_FILE ? IORING_OP_READ : IORING_OP_RECV,
				  is(options.method, "uring-async") ? IOSQE_ASYNC : 0, end->in,
				  data, options.size);
	return end_receive(end, data, options.size);
}

static void peek(struct end *end)
{
	uint64_t enter_ns = now_ns();
	char data[64];
	ssize_t bytes = recv(end->in, data, sizeof(data), MSG_PEEK);

	if (bytes > 0)
		log_messages(LOG_PEEK, options.unit, enter_ns, now_ns(), data, bytes);
}

/* As recv(). */
static ssize_t take(struct end *end)
{
	static __thread char data[1 << 20];
	uint64_t enter_ns, exit_ns;
	ssize_t bytes;

	if (options.delay_ns)
		nap(options.delay_ns);
	if (is(options.method, "recvmmsg"))
		return receive_many(end);
	if (is(options.method, "uring-linked"))
		return receive_linked(end);
	if (is(options.method, "uring-multishot"))
		return receive_multishot(end);
	if (options.peeks)
		peek(end);
	enter_ns = now_ns();
	bytes = receive_one(end, data);
	if (is_end(bytes))
		return bytes;
	exit_ns = now_ns();
	log_messages(LOG_RECEIVE, options.unit, enter_ns, exit_ns, data, bytes);
	if (end->wakes)
		log_add(LOG_WOKEN, enter_ns, exit_ns, end->wakes, (struct head){0});
	taken_cnt++;
	return bytes;
}

/* On x86, select() of the C library is another system call. */
static int wait_once(int fd)
{
	struct pollfd wait = {.fd = fd, .events = POLLIN};
	fd_set set;

	if (is(options.reader, "poll"))
		return poll(&wait, 1, -1);
	FD_ZERO(&set);
	FD_SET(fd, &set);
#ifdef SYS_select
	if (is(options.reader, "select"))
		return syscall(SYS_select, fd + 1, &set, NULL, NULL, NULL);
#endif
	return pselect(fd + 1, &set, NULL, NULL, NULL, NULL);
}

static void read_waiting(struct end *end)
{
	while (!ended && wait_once(end->in) > 0)
		if (is_end(take(end)))
			return;
}

/* `how`: EPOLLET, EPOLLEXCLUSIVE, or 0. Only the last may block in the receive. */
static void read_epoll(struct end *end, uint32_t how)
{
	struct epoll_event event = {.events = EPOLLIN | how};
	int epoll = epoll_create1(0);
	ssize_t bytes;

	if (how)
		fcntl(end->in, F_SETFL, O_NONBLOCK);
	epoll_ctl(epoll, EPOLL_CTL_ADD, end->in, &event);
	while (!ended && epoll_wait(epoll, &event, 1, -1) > 0) {
		do
			bytes = take(end);
		while (how == EPOLLET && !is_end(bytes));
		if (is_end(bytes) && (!bytes || errno != EAGAIN))
			return;
	}
}

static int shared_epoll;

static void read_epoll_oneshot(struct end *end)
{
	struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT};

	while (!ended && epoll_wait(shared_epoll, &event, 1, -1) > 0) {
		if (is_end(take(end)))
			return;
		event.events = EPOLLIN | EPOLLONESHOT;
		epoll_ctl(shared_epoll, EPOLL_CTL_MOD, end->in, &event);
	}
}

static void *read_all(void *none)
{
	struct end end = source;

	if (is(options.reader, "epoll"))
		read_epoll(&end, EPOLLET);
	else if (is(options.reader, "epoll-level"))
		read_epoll(&end, 0);
	else if (is(options.reader, "epoll-exclusive"))
		read_epoll(&end, EPOLLEXCLUSIVE);
	else if (is(options.reader, "epoll-oneshot"))
		read_epoll_oneshot(&end);
	else if (!is(options.reader, "block"))
		read_waiting(&end);
	else
		while (!ended && !is_end(take(&end)))
			;
	log_write(options.dir);
	return none;
}

static void share_epoll(void)
{
	struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT};

	shared_epoll = epoll_create1(0);
	epoll_ctl(shared_epoll, EPOLL_CTL_ADD, source.in, &event);
}

static void source_open(const char *address, int buffer, int least)
{
	source = server_open(address);
	if (buffer)
		setsockopt(source.in, SOL_SOCKET, SO_RCVBUFFORCE, &buffer, sizeof(buffer));
	ready();
	source = end_accept(source);
	if (least)
		setsockopt(source.in, SOL_SOCKET, SO_RCVLOWAT, &least, sizeof(least));
	if (is(options.reader, "epoll-oneshot"))
		share_epoll();
}

int main(int argc, char **argv)
{
	int option, threads = 0, buffer = 0, least = 0;

	while ((option = getopt(argc, argv, "s:u:m:kr:t:d:b:e:l:")) != -1) {
		switch (option) {
		case 's':
			options.size = atoi(optarg);
			break;
		case 'u':
			options.unit = atoi(optarg);
			break;
		case 'm':
			options.method = optarg;
			break;
		case 'k':
			options.peeks = true;
			break;
		case 'r':
			options.reader = optarg;
			break;
		case 't':
			threads = atoi(optarg);
			break;
		case 'd':
			options.delay_ns = atoll(optarg);
			break;
		case 'b':
			buffer = atoi(optarg);
			break;
		case 'l':
			least = atoi(optarg);
			break;
		case 'e':
			options.least = atoll(optarg);
			break;
		}
	}
	options.dir = argv[optind + 1];
	log_begin();
	source_open(argv[optind], buffer, least);
	if (threads)
		work_in_threads(threads, read_all);
	else
		read_all(NULL);
	return EXIT_SUCCESS;
}
