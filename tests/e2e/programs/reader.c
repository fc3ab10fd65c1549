// SPDX-License-Identifier: BSD-2-Clause
/*
 * Receives one way, in many manners, and logs what it received when.
 *
 *	reader [OPTIONS] ADDRESS LOGDIR
 *	-s BYTES	taken with one call at most (65536)
 *	-u BYTES	one call may take several messages of this size each
 *	-m METHOD	receive, readv, recvmmsg, splice or uring
 *	-k		peek at each before it is taken
 *	-r READER	block, poll or epoll (edge-triggered)
 *	-t N		this many threads
 *	-d NS		a pause before each receive (0)
 *	-b BYTES	the socket's buffer
 */
#include "ends.h"
#include "uring.h"
#include "workers.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/uio.h>

#define MANY 8

static struct {
	size_t size, unit;
	const char *method, *reader, *dir;
	bool peeks;
	uint64_t delay_ns;
} options = {.size = 65536, .method = "receive", .reader = "block"};

static struct end source;

static bool is(const char *option, const char *name)
{
	return !strcmp(option, name);
}

/* One entry for each message that begins in these bytes. */
static void log_taken(enum kind kind, uint64_t enter_ns, uint64_t exit_ns, const char *data,
		      size_t bytes)
{
	size_t step = options.unit ? options.unit : bytes;
	struct head head = {0};

	for (size_t at = 0; at < bytes; at += step) {
		if (bytes - at >= sizeof(head))
			memcpy(&head, data + at, sizeof(head));
		log_add(kind, enter_ns, exit_ns, bytes, head);
	}
}

static ssize_t receive_many(struct end *end)
{
	static __thread char data[MANY][65536];
	struct mmsghdr messages[MANY] = {0};
	struct iovec parts[MANY];
	uint64_t enter_ns, exit_ns;
	int cnt;

	for (int i = 0; i < MANY; i++) {
		parts[i] = (struct iovec){data[i], options.size};
		messages[i].msg_hdr.msg_iov = &parts[i];
		messages[i].msg_hdr.msg_iovlen = 1;
	}
	enter_ns = now_ns();
	cnt = recvmmsg(end->in, messages, MANY, MSG_WAITFORONE, NULL);
	exit_ns = now_ns();
	for (int i = 0; i < cnt; i++)
		log_taken(LOG_RECEIVE, enter_ns, exit_ns, data[i], messages[i].msg_len);
	return cnt;
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
	if (is(options.method, "uring"))
		return uring_call(IORING_OP_RECV, end->in, data, options.size);
	return end_receive(end, data, options.size);
}

static void peek(struct end *end)
{
	uint64_t enter_ns = now_ns();
	char data[64];
	ssize_t bytes = recv(end->in, data, sizeof(data), MSG_PEEK);

	if (bytes > 0)
		log_taken(LOG_PEEK, enter_ns, now_ns(), data, bytes);
}

/* <= 0: the end, or see errno. */
static ssize_t take(struct end *end)
{
	static __thread char data[1 << 20];
	uint64_t enter_ns;
	ssize_t bytes;

	if (options.delay_ns)
		nap(options.delay_ns);
	if (is(options.method, "recvmmsg"))
		return receive_many(end);
	if (options.peeks)
		peek(end);
	enter_ns = now_ns();
	bytes = receive_one(end, data);
	if (bytes > 0)
		log_taken(LOG_RECEIVE, enter_ns, now_ns(), data, bytes);
	return bytes;
}

static void read_polling(struct end *end)
{
	struct pollfd wait = {.fd = end->in, .events = POLLIN};

	while (!ended && poll(&wait, 1, -1) > 0)
		if (take(end) <= 0)
			return;
}

static void read_epoll(struct end *end)
{
	struct epoll_event event = {.events = EPOLLIN | EPOLLET};
	int epoll = epoll_create1(0);

	fcntl(end->in, F_SETFL, O_NONBLOCK);
	epoll_ctl(epoll, EPOLL_CTL_ADD, end->in, &event);
	while (!ended && epoll_wait(epoll, &event, 1, -1) > 0) {
		ssize_t bytes;

		while ((bytes = take(end)) > 0)
			;
		if (!bytes || errno != EAGAIN)
			return;
	}
}

static void *read_all(void *none)
{
	struct end end = source;

	if (is(options.reader, "poll"))
		read_polling(&end);
	else if (is(options.reader, "epoll"))
		read_epoll(&end);
	else
		while (!ended && take(&end) > 0)
			;
	log_write(options.dir);
	return none;
}

static void source_open(const char *address, int buffer)
{
	source = server_open(address);
	if (buffer)
		setsockopt(source.in, SOL_SOCKET, SO_RCVBUFFORCE, &buffer, sizeof(buffer));
	ready();
	if (source.listens) {
		int fd = accept(source.in, NULL, NULL);

		source = end_of_fds(fd, fd);
	}
}

int main(int argc, char **argv)
{
	int option, threads = 0, buffer = 0;

	while ((option = getopt(argc, argv, "s:u:m:kr:t:d:b:")) != -1) {
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
		}
	}
	options.dir = argv[optind + 1];
	log_begin();
	source_open(argv[optind], buffer);
	if (threads)
		work_in_threads(threads, read_all);
	else
		read_all(NULL);
	return EXIT_SUCCESS;
}
