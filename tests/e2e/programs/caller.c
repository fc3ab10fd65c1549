// SPDX-License-Identifier: BSD-2-Clause
/*
 * Calls the service, and logs what it sent and received when.
 *
 *	caller [OPTIONS] ADDRESS LOGDIR
 *	-n COUNT	calls; 0: until SIGTERM (0)
 *	-u BYTES	of a request and of an answer (64)
 *	-o OP -d NS	what the service shall do (echo)
 *	-k DEPTH	this many requests before their answers are received (1), with one send
 *	-e		with a send each
 *	-p NS		a pause after each call (0)
 *	-c		a connection for each call; one that is refused is logged
 *	-s PATH		the side pipe, for -o block
 *	-q		does not say that it is ready
 *	-b CPU		a thread of io_uring's is busy there; stops itself before it connects
 */
#include "ends.h"
#include "request.h"

#include <linux/io_uring.h>

static struct {
	uint64_t cnt, pause_ns;
	size_t unit, depth;
	uint32_t op, ns;
	bool connects, separate, quiet;
	const char *address;
	int side;
} options = {.unit = 64, .depth = 1, .side = -1};

static uint32_t op_find(const char *name)
{
	for (uint32_t op = 0; op < NR_OPS; op++)
		if (!strcmp(name, op_names[op]))
			return op;
	errno = EINVAL;
	die(name);
}

static void ask(struct end *end, uint32_t op, size_t cnt)
{
	char data[65536] = {0};
	struct request *request;
	size_t size = cnt * options.unit;
	uint64_t enter_ns, exit_ns;

	for (size_t i = 0; i < cnt; i++) {
		request = (struct request *)(data + i * options.unit);
		*request = (struct request){log_next(), op, options.ns};
	}
	enter_ns = now_ns();
	if (end_send(end, data, size) != (ssize_t)size)
		die("cannot send");
	exit_ns = now_ns();
	for (size_t i = 0; i < cnt; i++) {
		request = (struct request *)(data + i * options.unit);
		log_add(LOG_SEND, enter_ns, exit_ns, size, request->head);
	}
}

/* Returns whether all answers came. */
static bool hear(struct end *end, size_t cnt)
{
	char data[65536];
	size_t have = 0;

	while (have < cnt * options.unit) {
		uint64_t enter_ns = now_ns(), exit_ns;
		ssize_t bytes = end_receive(end, data, sizeof(data));

		exit_ns = now_ns();
		if (bytes < 0 && errno == EINTR)
			continue;
		if (bytes <= 0)
			return false;
		log_messages(LOG_RECEIVE, options.unit, enter_ns, exit_ns, data, bytes);
		have += bytes;
	}
	return true;
}

/* While the service waits for its side pipe a request lies in its queue. */
static void write_side(void)
{
	struct head head = log_next();
	uint64_t enter_ns;

	nap(options.ns);
	enter_ns = now_ns();
	if (write(options.side, &head, sizeof(head)) != sizeof(head))
		die("cannot write to the side pipe");
	log_add(LOG_SEND, enter_ns, now_ns(), sizeof(head), head);
}

/* Returns whether there was an answer. */
static bool call(struct end *end)
{
	if (!options.separate)
		ask(end, options.op, options.depth);
	for (size_t i = 0; options.separate && i < options.depth; i++)
		ask(end, options.op, 1);
	if (!hear(end, options.depth))
		return false;
	if (options.op != OP_BUSY && options.op != OP_BLOCK)
		return true;
	nap(options.op == OP_BLOCK ? 200000 : 0); /* it is in its read by then */
	ask(end, OP_ECHO, 1);
	if (options.op == OP_BLOCK)
		write_side();
	return hear(end, 1);
}

/* in < 0: refused. */
static struct end connect_logged(void)
{
	uint64_t enter_ns = now_ns();
	struct end end = client_try(options.address);

	log_add(LOG_CONNECT, enter_ns, now_ns(), end.in < 0, (struct head){0});
	return end;
}

static void call_all(void)
{
	uint64_t due_ns = now_ns();
	struct end end;

	if (!options.connects)
		end = client_open(options.address);
	if (!options.quiet)
		ready();
	for (uint64_t i = 0; !ended && (!options.cnt || i < options.cnt); i++) {
		if (options.connects)
			end = connect_logged();
		if (end.in >= 0 && !call(&end) && !ended && options.op != OP_EXIT)
			die("no answer");
		if (options.connects && end.in >= 0)
			end_close(&end);
		due_ns += options.pause_ns;
		if (options.pause_ns && due_ns > now_ns())
			sleep_until(due_ns);
	}
}

/* A thread of io_uring's looks for work there all the time. */
static void start_busy(int cpu)
{
	struct io_uring_params params = {.flags = IORING_SETUP_SQPOLL | IORING_SETUP_SQ_AFF,
					 .sq_thread_cpu = cpu,
					 .sq_thread_idle = 60000};

	if (syscall(SYS_io_uring_setup, 1, &params) < 0)
		die("cannot make an io_uring");
	raise(SIGSTOP);
}

int main(int argc, char **argv)
{
	int option;

	while ((option = getopt(argc, argv, "n:u:o:d:k:p:cs:eqb:")) != -1) {
		switch (option) {
		case 'n':
			options.cnt = atoll(optarg);
			break;
		case 'u':
			options.unit = atoi(optarg);
			break;
		case 'o':
			options.op = op_find(optarg);
			break;
		case 'd':
			options.ns = atoi(optarg);
			break;
		case 'k':
			options.depth = atoi(optarg);
			break;
		case 'p':
			options.pause_ns = atoll(optarg);
			break;
		case 'c':
			options.connects = true;
			break;
		case 'e':
			options.separate = true;
			break;
		case 'q':
			options.quiet = true;
			break;
		case 's':
			options.side = open(optarg, O_RDWR);
			break;
		case 'b':
			start_busy(atoi(optarg));
			break;
		}
	}
	options.address = argv[optind];
	log_begin();
	call_all();
	log_write(argv[optind + 1]);
	return EXIT_SUCCESS;
}
