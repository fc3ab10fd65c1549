// SPDX-License-Identifier: BSD-2-Clause
/*
 * Sends one way, in many manners, and logs what it sent when.
 *
 *	writer [OPTIONS] ADDRESS... LOGDIR
 *	-n ROUNDS	0: until SIGTERM (0)
 *	-s BYTES[,...]	sizes of the messages that go to every address in a round (64)
 *	-m METHOD	send, writev, sendmmsg, sendfile, splice or, by io_uring, uring (one at a
 *			time), uring-linked (a round in a chain), uring-sqpoll (by a thread of
 *			the kernel), uring-async (by one of several) or uring-async-two (by one
 *			of them until half of the rounds are over, and then by another)
 *	-p NS		from one round to the next (0)
 *	-b BYTES	the sockets' send buffers
 *	-N		without blocking: what did not fit goes with another call
 *	-q		does not say that it is ready
 */
#include "ends.h"
#include "uring.h"

#include <poll.h>
#include <sys/sendfile.h>
#include <sys/uio.h>

#define ENDS_MAX  16
#define SIZES_MAX 16

static struct {
	uint64_t rounds, period_ns;
	size_t sizes[SIZES_MAX], cnt;
	const char *method;
	bool partly, quiet;
} options = {.sizes = {64}, .cnt = 1, .method = "send"};

static void sizes_parse(char *list)
{
	options.cnt = 0;
	for (char *size = strtok(list, ","); size && options.cnt < SIZES_MAX;
	     size = strtok(NULL, ","))
		options.sizes[options.cnt++] = atoi(size);
}

static bool method_is(const char *name)
{
	return is(options.method, name);
}

static bool is_async(void)
{
	return method_is("uring-async") || method_is("uring-async-two");
}

/* The bytes are in memory that is a file. */
static ssize_t send_file(int to, const char *data, size_t size)
{
	static int memory = -1;
	off_t start = 0;

	if (memory < 0)
		memory = memfd_create("messages", 0);
	if (pwrite(memory, data, size, 0) != (ssize_t)size)
		die("cannot write to a memfd");
	return sendfile(to, memory, &start, size);
}

/* The bytes are in a pipe. */
static ssize_t splice_out(int to, const char *data, size_t size)
{
	static int ends[2];

	if (!ends[1] && pipe(ends))
		die("cannot make a pipe");
	if (write(ends[1], data, size) != (ssize_t)size)
		die("cannot write to a pipe");
	return splice(ends[0], NULL, to, NULL, size, 0);
}

static struct uring *ring(void)
{
	return uring_of_thread(method_is("uring-sqpoll") ? IORING_SETUP_SQPOLL : 0);
}

/* The thread of io_uring's that has worked so far waits for what never comes. */
static void keep_busy(void)
{
	int empty[2], other[2];

	if (pipe(empty) || pipe(other))
		die("cannot make pipes");
	uring_put(ring(), (struct io_uring_sqe){.opcode = IORING_OP_TEE,
						.fd = other[1],
						.splice_fd_in = empty[0],
						.len = 1});
}

static ssize_t send_one(struct end *end, char *data, size_t size)
{
	struct iovec parts[] = {{data, sizeof(struct head)},
				{data + sizeof(struct head), size - sizeof(struct head)}};

	if (method_is("writev"))
		return writev(end->out, parts, 2);
	if (method_is("sendfile"))
		return send_file(end->out, data, size);
	if (method_is("splice"))
		return splice_out(end->out, data, size);
	if (method_is("uring") || method_is("uring-sqpoll") || is_async())
		return uring_call(ring(), end->kind == END_FILE ? IORING_OP_WRITE : IORING_OP_SEND,
				  is_async() ? IOSQE_ASYNC : 0, end->out, data, size);
	return end_send(end, data, size);
}

static void wait_for_room(const struct end *end)
{
	struct pollfd wait = {.fd = end->out, .events = POLLOUT};

	poll(&wait, 1, -1);
}

/* What one call sends is a message, also if it is not all that it was given. */
static void send_logged(struct end *end, size_t size)
{
	static char data[1 << 20];
	uint64_t enter_ns, exit_ns;
	struct head head;
	ssize_t bytes;

	size_t left = size;

	do {
		head = log_next();
		memcpy(data, &head, sizeof(head));
		enter_ns = now_ns();
		bytes = send_one(end, data, left);
		exit_ns = now_ns();
		if (end->kind == END_EVENTFD || end->kind == END_FUTEX)
			left = bytes;
		if (bytes >= 0) {
			log_add(LOG_SEND, enter_ns, exit_ns, bytes, head);
			left -= bytes;
			continue;
		}
		if (!options.partly)
			die("cannot send");
		wait_for_room(end);
	} while (left);
}

static void send_many(struct end *end)
{
	static char data[SIZES_MAX][65536];
	struct mmsghdr messages[SIZES_MAX] = {0};
	struct iovec parts[SIZES_MAX];
	struct head heads[SIZES_MAX];
	uint64_t enter_ns, exit_ns;
	int sent;

	for (size_t i = 0; i < options.cnt; i++) {
		heads[i] = log_next();
		memcpy(data[i], &heads[i], sizeof(heads[i]));
		parts[i] = (struct iovec){data[i], options.sizes[i]};
		messages[i].msg_hdr.msg_iov = &parts[i];
		messages[i].msg_hdr.msg_iovlen = 1;
	}
	enter_ns = now_ns();
	sent = sendmmsg(end->out, messages, options.cnt, 0);
	exit_ns = now_ns();
	if (sent != (int)options.cnt)
		die("cannot send all");
	for (int i = 0; i < sent; i++)
		log_add(LOG_SEND, enter_ns, exit_ns, messages[i].msg_len, heads[i]);
}

/* Each begins when the one before it has ended. */
static void send_linked(struct end *end)
{
	static char data[SIZES_MAX][65536];
	struct head heads[SIZES_MAX];
	uint64_t enter_ns = now_ns(), exit_ns;

	for (size_t i = 0; i < options.cnt; i++) {
		heads[i] = log_next();
		memcpy(data[i], &heads[i], sizeof(heads[i]));
		uring_put(ring(),
			  (struct io_uring_sqe){.opcode = IORING_OP_SEND,
						.flags = i + 1 < options.cnt ? IOSQE_IO_LINK : 0,
						.fd = end->out,
						.addr = (uintptr_t)data[i],
						.len = options.sizes[i]});
	}
	if (!uring_wait(ring(), options.cnt))
		die("cannot send all");
	exit_ns = now_ns();
	for (size_t i = 0; i < options.cnt; i++) {
		if (uring_result(ring()) != (ssize_t)options.sizes[i])
			die("cannot send");
		log_add(LOG_SEND, enter_ns, exit_ns, options.sizes[i], heads[i]);
	}
}

static void send_round(struct end *end)
{
	if (method_is("uring-linked")) {
		send_linked(end);
		return;
	}
	if (method_is("sendmmsg")) {
		send_many(end);
		return;
	}
	for (size_t i = 0; i < options.cnt; i++)
		send_logged(end, options.sizes[i]);
}

static void send_rounds(struct end *ends, int cnt)
{
	uint64_t due_ns = now_ns();

	for (uint64_t i = 0; !ended && (!options.rounds || i < options.rounds); i++) {
		if (method_is("uring-async-two") && i == options.rounds / 2)
			keep_busy();
		for (int k = 0; k < cnt; k++)
			send_round(&ends[k]);
		due_ns += options.period_ns;
		if (options.period_ns)
			sleep_until(due_ns);
	}
}

int main(int argc, char **argv)
{
	struct end ends[ENDS_MAX];
	int option, buffer = 0, cnt = 0;

	while ((option = getopt(argc, argv, "n:s:m:p:b:Nq")) != -1) {
		switch (option) {
		case 'n':
			options.rounds = atoll(optarg);
			break;
		case 's':
			sizes_parse(optarg);
			break;
		case 'm':
			options.method = optarg;
			break;
		case 'p':
			options.period_ns = atoll(optarg);
			break;
		case 'b':
			buffer = atoi(optarg);
			break;
		case 'N':
			options.partly = true;
			break;
		case 'q':
			options.quiet = true;
			break;
		}
	}
	log_begin();
	for (; optind < argc - 1 && cnt < ENDS_MAX; optind++) {
		ends[cnt] = client_open(argv[optind]);
		if (buffer)
			setsockopt(ends[cnt].out, SOL_SOCKET, SO_SNDBUF, &buffer, sizeof(buffer));
		if (options.partly)
			fcntl(ends[cnt].out, F_SETFL, O_NONBLOCK);
		cnt++;
	}
	if (!options.quiet)
		ready();
	send_rounds(ends, cnt);
	log_write(argv[optind]);
	return EXIT_SUCCESS;
}
