/* SPDX-License-Identifier: BSD-2-Clause */
/* The transports that are made of descriptors: sockets that are connected, and pipes. */
#include "bpf/record.h"
#include "support/ends.h"
#include "transport/inet.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

#define ROUNDS            40
#define BURST             300

static const size_t sizes[] = {1, 64, 1500, 65536};

static bool is_udp(const struct transport_ops *ops)
{
	return ops == &udp_transport || ops == &udp6_transport;
}

static size_t allowed(const struct transport_ops *ops, size_t size)
{
	return size < ops->size_max() ? size : ops->size_max();
}

static uint64_t corrupt(const struct ends_outcome *outcome)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i <= ENDS_CLIENTS_MAX; i++)
		for (uint32_t peer = 0; peer <= ENDS_CLIENTS_MAX; peer++)
			sum += outcome->sides[i].corrupt[peer];
	return sum;
}

/* Every client and the server have `count` messages of each other, and none is wrong. */
static void assert_all(const struct ends_spec *spec, const struct ends_outcome *outcome,
		       uint64_t to_clients, uint64_t to_server)
{
	for (uint32_t client = 1; client <= spec->clients; client++) {
		assert_int_equal(outcome->sides[client].received[LINK_SERVER], to_clients);
		assert_int_equal(outcome->sides[LINK_SERVER].received[client], to_server);
	}
	assert_int_equal(corrupt(outcome), 0);
}

/* Answers all messages, whoever has left meanwhile. */
static void echo_server(struct ends_side *side)
{
	uint64_t left = (uint64_t)ROUNDS * side->spec->clients;
	uint32_t from;

	while (left) {
		int came = ends_receive(side, &from);

		ends_expect(side, came >= 0);
		if (came < 0)
			return;
		for (int i = 0; i < came; i++)
			ends_expect(side, !ends_send(side, from, left % 2));
		left -= (uint64_t)came;
	}
}

static void echo_client(struct ends_side *side)
{
	for (unsigned int i = 0; i < ROUNDS; i++) {
		uint32_t from = UINT32_MAX;

		ends_expect(side, !ends_send(side, LINK_SERVER, i % 2));
		ends_expect(side, ends_receive(side, &from) == 1);
		ends_expect(side, from == LINK_SERVER);
	}
}

static void echo(const struct ends_spec *spec)
{
	const struct ends_outcome *outcome = ends_run(spec, echo_server, echo_client);

	assert_all(spec, outcome, ROUNDS, ROUNDS);
}

static void ping_pong(void **state)
{
	struct ends_spec spec = {.ops = *state};

	for (spec.clients = 1; spec.clients <= 3; spec.clients += 2) {
		for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
			spec.size = allowed(spec.ops, sizes[i]);
			echo(&spec);
		}
	}
}

static void readers(void **state)
{
	struct ends_spec spec = {.ops = *state, .size = 1500};

	for (spec.reader = 0; spec.reader < NR_READERS; spec.reader++)
		for (spec.clients = 1; spec.clients <= 3; spec.clients += 2)
			echo(&spec);
}

static void threads(void **state)
{
	struct ends_spec spec = {.ops = *state, .clients = 3, .size = 1500, .threads = true};

	echo(&spec);
	spec.size = allowed(spec.ops, 65536);
	echo(&spec);
}

/* Nothing but the send and the receive call itself: what else there could be is forbidden. */
static void watch_nothing(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
#ifdef __NR_poll
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_poll, 7, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_epoll_wait, 6, 0),
#endif
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_ppoll, 5, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_epoll_pwait, 4, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_ioctl, 3, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_fcntl, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clock_nanosleep, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog program = {.len = ARRAY_SIZE(filter), .filter = filter};

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static void lean_server(struct ends_side *side)
{
	watch_nothing();
	echo_server(side);
}

static void lean_client(struct ends_side *side)
{
	watch_nothing();
	echo_client(side);
}

static void one_call(void **state)
{
	struct ends_spec spec = {.ops = *state, .clients = 1, .size = 1500};
	const struct ends_outcome *outcome = ends_run(&spec, lean_server, lean_client);

	assert_all(&spec, outcome, ROUNDS, ROUNDS);
}

static void receive_all(struct ends_side *side, uint64_t count)
{
	while (count) {
		int came = ends_receive(side, NULL);

		ends_expect(side, came >= 0);
		if (came < 0)
			return;
		count -= (uint64_t)came;
	}
}

static void burst_down_server(struct ends_side *side)
{
	for (unsigned int i = 0; i < BURST; i++)
		for (uint32_t client = 1; client <= side->spec->clients; client++)
			ends_expect(side, !ends_send(side, client, true));
}

static void burst_down_client(struct ends_side *side)
{
	receive_all(side, BURST);
}

static void burst_up_server(struct ends_side *side)
{
	receive_all(side, (uint64_t)BURST * side->spec->clients);
}

static void burst_up_client(struct ends_side *side)
{
	for (unsigned int i = 0; i < BURST; i++)
		ends_expect(side, !ends_send(side, LINK_SERVER, true));
}

/* UDP loses what its receiver does not take in time: no more than fits into its buffer. */
static void burst(void **state)
{
	static const size_t burst_sizes[] = {64, 5000, 65536};
	struct ends_spec spec = {.ops = *state, .oneway = true};
	size_t count = is_udp(spec.ops) ? 1 : ARRAY_SIZE(burst_sizes);

	for (size_t i = 0; i < count; i++) {
		spec.size = burst_sizes[i];
		spec.clients = spec.size > 5000 ? 1 : 3;
		assert_all(&spec, ends_run(&spec, burst_down_server, burst_down_client), BURST, 0);
		assert_all(&spec, ends_run(&spec, burst_up_server, burst_up_client), 0, BURST);
	}
}

/* It has not read all it was sent: TCP and unix sockets tell this as an error. */
static void dying_server(struct ends_side *side)
{
	ends_await(side, 0, side->spec->clients);
	receive_all(side, side->spec->clients);
	raise(SIGKILL);
}

/* Whoever only listens to UDP hears nothing of it: it has to send. */
static void bereaved_client(struct ends_side *side)
{
	ends_expect(side, !ends_send(side, LINK_SERVER, true));
	ends_expect(side, !ends_send(side, LINK_SERVER, true));
	ends_tell(side, 0);
	while (is_udp(side->spec->ops) && !ends_send(side, LINK_SERVER, true))
		usleep(1000);
	if (is_udp(side->spec->ops)) {
		ends_expect(side, side->counts->error == -ECONNREFUSED);
		/* What an earlier one has met with may be told now. */
		while (ends_send(side, LINK_SERVER, true))
			ends_expect(side, side->counts->error == -ECONNREFUSED);
	}
	ends_expect(side, ends_receive(side, NULL) == 0);
	side->counts->value = 1;
}

static void server_dies(void **state)
{
	struct ends_spec spec = {.ops = *state, .size = 64};

	for (spec.clients = 1; spec.clients <= 3; spec.clients += 2) {
		for (int threads = 0; threads <= 1; threads++) {
			const struct ends_outcome *outcome;

			spec.threads = threads;
			outcome = ends_run(&spec, dying_server, bereaved_client);
			assert_true(WIFSIGNALED(outcome->sides[LINK_SERVER].status));
			for (uint32_t client = 1; client <= spec.clients; client++)
				assert_int_equal(outcome->sides[client].value, 1);
		}
	}
}

enum { MORTAL = 2 };

/* One exchange with everybody; then client 2 dies, and the others have many more. */
static void surviving_server(struct ends_side *side)
{
	uint64_t left = (uint64_t)ROUNDS * (side->spec->clients - 1) + 1;
	uint32_t from;

	while (left) {
		int came = ends_receive(side, &from);

		ends_expect(side, came >= 0);
		if (came < 0)
			return;
		for (int i = 0; i < came; i++)
			ends_expect(side, !ends_send(side, from, true));
		left -= (uint64_t)came;
	}
	while (!ends_send(side, MORTAL, false))
		usleep(1000);
	side->counts->value = (uint64_t)-side->counts->error;
	while (!is_udp(side->spec->ops) && !side->counts->ended[MORTAL])
		if (ends_receive(side, &from) < 0)
			return;
}

static void mortal_client(struct ends_side *side)
{
	if (side->client != MORTAL) {
		ends_await(side, 0, 1);
		echo_client(side);
		return;
	}
	ends_send(side, LINK_SERVER, true);
	ends_receive(side, NULL);
	ends_tell(side, 0);
	raise(SIGKILL);
}

static void client_dies(void **state)
{
	struct ends_spec spec = {.ops = *state, .clients = 3, .size = 64};
	const struct ends_counts *server;

	for (spec.reader = 0; spec.reader < NR_READERS; spec.reader++) {
		const struct ends_outcome *outcome =
			ends_run(&spec, surviving_server, mortal_client);

		server = &outcome->sides[LINK_SERVER];
		assert_true(WIFSIGNALED(outcome->sides[MORTAL].status));
		assert_int_equal(outcome->sides[1].received[LINK_SERVER], ROUNDS);
		assert_int_equal(outcome->sides[3].received[LINK_SERVER], ROUNDS);
		assert_true(server->value == EPIPE || server->value == ECONNRESET ||
			    server->value == ECONNREFUSED);
		if (!is_udp(spec.ops))
			assert_int_equal(server->ended[MORTAL], 1);
		assert_int_equal(corrupt(outcome), 0);
	}
}

static void leaving_client(struct ends_side *side)
{
	ends_send(side, LINK_SERVER, true);
}

/* Every end is told once, and then that there is nobody. */
static void deserted_server(struct ends_side *side)
{
	uint32_t ended = 0, messages = 0;
	int came;

	while ((came = ends_receive(side, NULL)) >= 0) {
		messages += (uint32_t)came;
		ended += !came;
	}
	ends_expect(side, came == -ECONNRESET);
	ends_expect(side, ended == side->spec->clients);
	ends_expect(side, messages == side->spec->clients);
	ends_expect(side, ends_receive(side, NULL) == -ECONNRESET);
}

static void all_leave(void **state)
{
	struct ends_spec spec = {.ops = *state, .size = 64};

	for (spec.reader = 0; spec.reader < NR_READERS; spec.reader++)
		for (spec.clients = 1; spec.clients <= 3; spec.clients += 2)
			ends_run(&spec, deserted_server, leaving_client);
}

enum { STEP_FULL, STEP_READ, STEP_MORE };

/* Until nothing fits; then the client reads, and the link is as good as before. */
static void filling_server(struct ends_side *side)
{
	int err;

	while (!(err = ends_send(side, 1, false)))
		;
	ends_expect(side, err == -EAGAIN);
	ends_tell(side, STEP_FULL);
	ends_await(side, STEP_READ, 1);
	ends_expect(side, !ends_send(side, 1, false));
	ends_tell(side, STEP_MORE);
}

static void late_client(struct ends_side *side)
{
	uint64_t sent;

	ends_await(side, STEP_FULL, 1);
	sent = side->outcome->sides[LINK_SERVER].sent[1];
	receive_all(side, sent);
	/* Not a byte more: a part of the message that did not fit would be one. */
	ends_expect(side, side->counts->bytes[LINK_SERVER] == sent * side->spec->size);
	ends_tell(side, STEP_READ);
	receive_all(side, 1);
	ends_expect(side, ends_receive(side, NULL) == 0);
}

static void full(void **state)
{
	static const size_t full_sizes[] = {64, 4096, 5000, 65536};
	struct ends_spec spec = {.ops = *state, .clients = 1};

	for (int oneway = 0; oneway <= 1; oneway++) {
		spec.oneway = oneway;
		for (size_t i = 0; i < ARRAY_SIZE(full_sizes); i++) {
			const struct ends_outcome *outcome;

			spec.size = full_sizes[i];
			outcome = ends_run(&spec, filling_server, late_client);
			assert_true(outcome->sides[LINK_SERVER].sent[1] > 1);
			assert_int_equal(outcome->sides[1].received[LINK_SERVER],
					 outcome->sides[LINK_SERVER].sent[1]);
			assert_int_equal(corrupt(outcome), 0);
		}
	}
}

static void persistent_server(struct ends_side *side)
{
	int err;

	while (!(err = ends_send(side, 1, false)))
		;
	ends_expect(side, err == -EAGAIN);
	ends_tell(side, STEP_FULL);
	/* On a busy machine the reader may be gone only after the wait for the rest of a message.
	 */
	while ((err = ends_send(side, 1, false)) == -EAGAIN || err == -ETIMEDOUT)
		usleep(1000);
	ends_expect(side, err == -EPIPE || err == -ECONNRESET);
}

static void unread_client(struct ends_side *side)
{
	ends_await(side, STEP_FULL, 1);
}

/* Nobody there any more is another matter than no room. */
static void full_and_gone(void **state)
{
	struct ends_spec spec = {.ops = *state, .clients = 1, .size = 5000};

	ends_run(&spec, persistent_server, unread_client);
}

/* Waits in vain, as nobody reads; then again, and somebody begins to. */
static void waiting_server(struct ends_side *side)
{
	while (!ends_send(side, 1, false))
		;
	ends_expect(side, ends_send(side, 1, true) == -EAGAIN);
	ends_tell(side, STEP_FULL);
	ends_expect(side, !ends_send(side, 1, true));
	ends_tell(side, STEP_MORE);
}

static void slow_client(struct ends_side *side)
{
	ends_await(side, STEP_FULL, 1);
	usleep(50000);
	while (ends_receive(side, NULL) > 0)
		;
}

static void full_and_waiting(void **state)
{
	struct ends_spec spec = {.ops = *state, .clients = 1, .size = 65536};
	const struct ends_outcome *outcome = ends_run(&spec, waiting_server, slow_client);

	assert_int_equal(outcome->steps[STEP_MORE], 1);
	assert_int_equal(outcome->sides[1].received[LINK_SERVER],
			 outcome->sides[LINK_SERVER].sent[1]);
	assert_int_equal(corrupt(outcome), 0);
}

static unsigned char stream_byte(size_t place)
{
	return (unsigned char)(place * 7 + place / 251);
}

/* Sends bytes from `place` on as one message. */
static int part_send(struct ends_side *side, size_t place, size_t size, bool wait)
{
	unsigned char *data = malloc(size);
	int err;

	for (size_t i = 0; i < size; i++)
		data[i] = stream_byte(place + i);
	err = side->spec->ops->send(side->end, 1, data, size, wait);
	free(data);
	return err;
}

/* Until `count` bytes or the end. How many came, which are all good. */
static size_t parts_receive(struct ends_side *side, size_t count)
{
	unsigned char data[4096];
	size_t place = 0;
	uint32_t from;

	while (place < count) {
		size_t left = count - place;
		ssize_t came = side->spec->ops->receive(
			side->end, data, left < sizeof(data) ? left : sizeof(data), &from);

		ends_expect(side, came >= 0);
		if (came <= 0)
			break;
		for (ssize_t i = 0; i < came; i++, place++)
			ends_expect(side, data[i] == stream_byte(place));
	}
	return place;
}

/* How large message `i` is. Two of 2049 bytes take two pages of a pipe. */
static size_t any_size(size_t i)
{
	return i * i * 5 % 70001 + 1;
}

static size_t wasteful_size(size_t i)
{
	return i % 8 ? 2049 : 65536;
}

static size_t (*mixing_size)(size_t i);

/* Every size takes another share of what there is; the one that does not fit leaves no trace. */
static void mixing_server(struct ends_side *side)
{
	size_t place = 0, i = 0;
	int err;

	while (!(err = part_send(side, place, mixing_size(i), false)))
		place += mixing_size(i++);
	ends_expect(side, err == -EAGAIN);
	side->counts->value = place;
	ends_tell(side, STEP_FULL);
	ends_await(side, STEP_READ, 1);
}

static void mixing_client(struct ends_side *side)
{
	size_t sent;

	ends_await(side, STEP_FULL, 1);
	sent = side->outcome->sides[LINK_SERVER].value;
	ends_expect(side, parts_receive(side, sent) == sent);
	ends_tell(side, STEP_READ);
	ends_expect(side, parts_receive(side, 1) == 0);
}

static void mixed_sizes(void **state)
{
	struct ends_spec spec = {.ops = *state, .clients = 1, .size = 64};
	const struct ends_outcome *outcome;

	for (int run = 0; run < 4; run++) {
		spec.oneway = run % 2;
		mixing_size = run / 2 ? wasteful_size : any_size;
		outcome = ends_run(&spec, mixing_server, mixing_client);
		assert_true(outcome->sides[LINK_SERVER].value > 1);
	}
}

/* Larger than all buffers. */
#define GIANT ((size_t)24 << 20)

static void giant_server(struct ends_side *side)
{
	ends_expect(side, !part_send(side, 0, GIANT, false));
	ends_expect(side, !part_send(side, GIANT, GIANT, true));
}

static void giant_client(struct ends_side *side)
{
	ends_expect(side, parts_receive(side, 2 * GIANT) == 2 * GIANT);
}

static void giant(void **state)
{
	struct ends_spec spec = {.ops = *state, .clients = 1, .size = 64};

	ends_run(&spec, giant_server, giant_client);
}

/* What could not be completed is followed by the end, never by another message. */
static void stuck_server(struct ends_side *side)
{
	ends_expect(side, part_send(side, 0, GIANT, false) == -ETIMEDOUT);
	ends_expect(side, part_send(side, 0, 1, true) == -EPIPE);
	ends_tell(side, STEP_FULL);
	ends_await(side, STEP_READ, 1);
}

static void stuck_client(struct ends_side *side)
{
	ends_await(side, STEP_FULL, 1);
	side->counts->value = parts_receive(side, GIANT);
	ends_tell(side, STEP_READ);
}

static void stuck_halfway(void **state)
{
	struct ends_spec spec = {.ops = *state, .clients = 1, .size = 64};
	const struct ends_outcome *outcome = ends_run(&spec, stuck_server, stuck_client);

	assert_in_range(outcome->sides[1].value, 1, GIANT - 1);
}

enum { QUEUED = 30 };

/* All have something all the time: whoever is served twice, the others were served between. */
static void fair_server(struct ends_side *side)
{
	ends_await(side, 0, side->spec->clients);
	for (unsigned int turn = 1; turn <= QUEUED; turn++) {
		for (uint32_t i = 0; i < side->spec->clients; i++)
			ends_expect(side, ends_receive(side, NULL) == 1);
		for (uint32_t client = 1; client <= side->spec->clients; client++)
			ends_expect(side, side->counts->received[client] == turn);
	}
	ends_tell(side, 1);
}

static void eager_client(struct ends_side *side)
{
	for (unsigned int i = 0; i < QUEUED; i++)
		ends_expect(side, !ends_send(side, LINK_SERVER, false));
	ends_tell(side, 0);
	ends_await(side, 1, 1);
}

static void fair(void **state)
{
	struct ends_spec spec = {.ops = *state, .clients = 4, .size = 64};

	for (spec.reader = 0; spec.reader < NR_READERS; spec.reader++)
		ends_run(&spec, fair_server, eager_client);
}

static void on_alarm(int signal)
{
	(void)signal;
}

static void patient_server(struct ends_side *side)
{
	ends_await(side, 0, side->spec->clients);
}

static void interrupted_client(struct ends_side *side)
{
	struct sigaction action = {.sa_handler = on_alarm};
	struct itimerval timer = {.it_value.tv_usec = 20000, .it_interval.tv_usec = 20000};
	uint32_t from;

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	ends_expect(side, side->spec->ops->receive(side->end, side->data, side->spec->size,
						   &from) == -EINTR);
	timer = (struct itimerval){0};
	setitimer(ITIMER_REAL, &timer, NULL);
	ends_tell(side, 0);
}

static void interrupted(void **state)
{
	struct ends_spec spec = {.ops = *state, .clients = 1, .size = 64};

	for (spec.reader = 0; spec.reader < NR_READERS; spec.reader++)
		ends_run(&spec, patient_server, interrupted_client);
}

/* Descriptors of this process; only those that a program it starts would inherit. */
static int descriptors(bool inherited)
{
	DIR *entries = opendir("/proc/self/fd");
	struct dirent *entry;
	int count = 0;

	while ((entry = readdir(entries))) {
		int fd = atoi(entry->d_name);

		if (entry->d_name[0] == '.' || fd == dirfd(entries))
			continue;
		count += !inherited || !(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	}
	closedir(entries);
	return count;
}

static int inherited_before;

static void private_server(struct ends_side *side)
{
	ends_expect(side, descriptors(true) == inherited_before);
	ends_tell(side, 0);
	ends_await(side, 1, side->spec->clients);
}

static void private_client(struct ends_side *side)
{
	ends_await(side, 0, 1);
	ends_expect(side, descriptors(true) == inherited_before);
	ends_tell(side, 1);
}

static void nothing_inherited(void **state)
{
	struct ends_spec spec = {.ops = *state, .clients = 2, .size = 64, .reader = READER_EPOLL};

	inherited_before = descriptors(true);
	ends_run(&spec, private_server, private_client);
}

/* All clients in one process that may have few descriptors, at first. */
static void few_descriptors(void **state)
{
	struct ends_spec spec = {
		.ops = *state, .clients = ENDS_CLIENTS_MAX, .size = 64, .threads = true};
	struct rlimit before, limit;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	limit = before;
	limit.rlim_cur = 20;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	echo(&spec);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
}

/* What follows does without ends_run(): server and client are this process. */
struct alone {
	const struct transport_ops *ops;
	struct medium *medium;
	struct end *server, *client;
	char directory[32];
};

static void alone_create(struct alone *alone, const struct transport_ops *ops)
{
	struct medium_spec spec = {.directory = alone->directory, .clients = 1, .size = 64};

	*alone = (struct alone){.ops = ops, .directory = "/tmp/ipctrace-alone-XXXXXX"};
	assert_non_null(mkdtemp(alone->directory));
	alone->medium = ops->create(&spec);
	assert_non_null(alone->medium);
}

/* rmdir() fails if anything is left. */
static void alone_destroy(struct alone *alone)
{
	alone->ops->destroy(alone->medium);
	assert_int_equal(rmdir(alone->directory), 0);
}

static void *alone_join(void *argument)
{
	struct alone *alone = argument;

	alone->client = alone->ops->join(alone->medium, 1);
	return NULL;
}

/* However long it takes the client to come. */
static void alone_admit(const struct alone *alone)
{
	int err;

	do
		err = alone->ops->admit(alone->server, 1);
	while (err == -ETIMEDOUT);
	assert_int_equal(err, 0);
}

static void alone_link(struct alone *alone)
{
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, alone_join, alone), 0);
	alone_admit(alone);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_non_null(alone->client);
}

static void alone_exchange(const struct alone *alone)
{
	char text[64] = "";
	uint32_t from = UINT32_MAX;

	assert_int_equal(alone->ops->send(alone->server, 1, "down", 4, false), 0);
	assert_int_equal(alone->ops->receive(alone->client, text, sizeof(text), &from), 4);
	assert_string_equal(text, "down");
	assert_int_equal(from, LINK_SERVER);
	assert_int_equal(alone->ops->send(alone->client, LINK_SERVER, "up!!", 4, true), 0);
	assert_int_equal(alone->ops->receive(alone->server, text, sizeof(text), &from), 4);
	assert_string_equal(text, "up!!");
	assert_int_equal(from, 1);
}

static void nothing_stays(void **state)
{
	int before = descriptors(false);
	struct alone alone;

	alone_create(&alone, *state);
	alone.server = alone.ops->serve(alone.medium);
	assert_non_null(alone.server);
	alone_link(&alone);
	alone_exchange(&alone);
	alone.ops->close(alone.client);
	alone.ops->close(alone.server);
	alone_destroy(&alone);
	assert_int_equal(descriptors(false), before);
	alone.ops->destroy(NULL);
}

/* A server that was killed has removed nothing. */
static void destroyed_alone(void **state)
{
	struct alone alone;
	pid_t server;

	alone_create(&alone, *state);
	server = fork();
	if (!server)
		_exit(!alone.ops->serve(alone.medium));
	assert_int_equal(waitpid(server, &(int){0}, 0), server);
	alone_destroy(&alone);
}

static void late_joiner(void **state)
{
	struct alone alone;

	alone_create(&alone, *state);
	alone.server = alone.ops->serve(alone.medium);
	assert_non_null(alone.server);
	assert_int_equal(alone.ops->admit(alone.server, 1), -ETIMEDOUT);
	alone_link(&alone);
	alone_exchange(&alone);
	alone.ops->close(alone.client);
	alone.ops->close(alone.server);
	alone_destroy(&alone);
}

static void *alone_join_and_receive(void *argument)
{
	struct alone *alone = argument;
	char text[64];
	uint32_t from;

	alone_join(alone);
	return (void *)(alone->client
				? alone->ops->receive(alone->client, text, sizeof(text), &from)
				: -1);
}

/* Who comes before the server looks takes nothing for the end of a link that has not begun. */
static void early_joiner(void **state)
{
	struct alone alone;
	pthread_t thread;
	void *received;

	alone_create(&alone, *state);
	alone.server = alone.ops->serve(alone.medium);
	assert_non_null(alone.server);
	assert_int_equal(pthread_create(&thread, NULL, alone_join_and_receive, &alone), 0);
	usleep(20000);
	alone_admit(&alone);
	assert_int_equal(alone.ops->send(alone.server, 1, "down", 4, false), 0);
	assert_int_equal(pthread_join(thread, &received), 0);
	assert_int_equal((intptr_t)received, 4);
	alone_exchange(&alone);
	alone.ops->close(alone.client);
	alone.ops->close(alone.server);
	alone_destroy(&alone);
}

/* Somebody else who finds the port is sent away; the client comes after. */
static void stranger(void **state)
{
	struct alone alone;
	pthread_t thread;
	char byte;
	int fd;

	alone_create(&alone, *state);
	alone.server = alone.ops->serve(alone.medium);
	assert_non_null(alone.server);
	fd = inet_bound(alone.medium->family, SOCK_STREAM);
	assert_true(fd >= 0);
	assert_int_equal(inet_connect(fd, alone.medium->family, alone.medium->server_port), 0);
	assert_int_equal(pthread_create(&thread, NULL, alone_join, &alone), 0);
	alone_admit(&alone);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(read(fd, &byte, 1), 0);
	close(fd);
	alone_exchange(&alone);
	alone.ops->close(alone.client);
	alone.ops->close(alone.server);
	alone_destroy(&alone);
}

static void nobody_serves(void **state)
{
	struct alone alone;

	alone_create(&alone, *state);
	errno = 0;
	assert_null(alone.ops->join(alone.medium, 1));
	assert_true(errno == ENOENT || errno == ECONNREFUSED);
	alone_destroy(&alone);
}

static void assert_not_delayed(const struct transport_ops *ops, int fd)
{
	socklen_t length = sizeof(int);
	int on = 0;

	if (ops->id != TRANSPORT_TCP && ops->id != TRANSPORT_TCP6)
		return;
	assert_int_equal(getsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, &length), 0);
	assert_int_equal(on, 1);
}

enum { BACKLOG = 8 };

/* All of the backlog may wait before anybody is let in. */
static void connections(void **state)
{
	int waiting[BACKLOG], listening;
	struct alone alone;
	char text[8] = "";

	alone_create(&alone, *state);
	assert_non_null(alone.ops->listen);
	listening = alone.ops->listen(alone.medium, BACKLOG);
	assert_true(listening >= 0);
	for (unsigned int i = 0; i < BACKLOG; i++) {
		waiting[i] = alone.ops->connect(alone.medium);
		assert_true(waiting[i] >= 0);
		assert_int_equal(fcntl(waiting[i], F_GETFL) & O_NONBLOCK, 0);
		assert_int_equal(fcntl(waiting[i], F_GETFD), FD_CLOEXEC);
		assert_not_delayed(alone.ops, waiting[i]);
	}
	assert_int_equal(fcntl(listening, F_GETFL) & O_NONBLOCK, 0);
	for (unsigned int i = 0; i < BACKLOG; i++) {
		int fd = accept(listening, NULL, NULL);

		assert_not_delayed(alone.ops, fd);
		assert_int_equal(write(fd, "short", 5), 5);
		close(fd);
		assert_int_equal(read(waiting[i], text, sizeof(text)), 5);
		assert_string_equal(text, "short");
		assert_int_equal(read(waiting[i], text, sizeof(text)), 0);
		close(waiting[i]);
	}
	close(listening);
	alone_destroy(&alone);
}

/* The greatest that is promised goes through at once, before anybody reads. */
static void largest_server(struct ends_side *side)
{
	ends_expect(side, !ends_send(side, 1, false));
	ends_tell(side, 0);
	receive_all(side, 1);
}

static void largest_client(struct ends_side *side)
{
	ends_await(side, 0, 1);
	receive_all(side, 1);
	ends_expect(side, !ends_send(side, LINK_SERVER, true));
}

static void largest(void **state)
{
	const struct transport_ops *ops = *state;
	struct ends_spec spec = {.ops = ops, .clients = 1, .size = ops->size_max()};

	assert_true(spec.size >= 65488);
	assert_all(&spec, ends_run(&spec, largest_server, largest_client), 1, 1);
}

static void too_large(void **state)
{
	const struct transport_ops *ops = *state;
	size_t size = ops->size_max() + 100;
	char *data = calloc(1, size);
	struct alone alone;

	alone_create(&alone, ops);
	alone.server = ops->serve(alone.medium);
	alone_link(&alone);
	assert_int_equal(ops->send(alone.server, 1, data, size, false), -EMSGSIZE);
	alone_exchange(&alone);
	ops->close(alone.client);
	ops->close(alone.server);
	alone_destroy(&alone);
	free(data);
}

static void not_refused(void **state)
{
	const struct transport_ops *ops = *state;
	struct workload_spec spec = {.clients = 1};

	if (ops->refuse)
		assert_null(ops->refuse(&spec));
	assert_non_null(ops->name);
	assert_non_null(ops->summary);
	assert_int_equal(ops->is_stream, transport_is_stream(ops->id));
}

#define ON(test, transport)                                                                        \
	{                                                                                          \
#test ", " #transport, test, NULL, NULL, (void *)&transport##_transport            \
	}
#define PIPES(test)    ON(test, pipe), ON(test, fifo)
#define TCPS(test)     ON(test, tcp), ON(test, tcp6)
#define UDPS(test)     ON(test, udp), ON(test, udp6)
#define UNIXES(test)   ON(test, uds_stream), ON(test, uds_seqpacket)
#define STREAMS(test)  ON(test, uds_stream), TCPS(test), PIPES(test)
#define RELIABLE(test) UNIXES(test), TCPS(test), PIPES(test)
#define ALL(test)      RELIABLE(test), UDPS(test)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ALL(not_refused),
		ALL(ping_pong),
		ALL(readers),
		ALL(threads),
		ALL(one_call),
		ALL(burst),
		ALL(fair),
		ALL(interrupted),
		ALL(largest),
		ALL(server_dies),
		ALL(client_dies),
		RELIABLE(all_leave),
		RELIABLE(full),
		RELIABLE(full_and_gone),
		UNIXES(full_and_waiting),
		ON(full_and_waiting, tcp),
		ON(full_and_waiting, pipe),
		STREAMS(mixed_sizes),
		STREAMS(giant),
		ON(stuck_halfway, uds_stream),
		ON(stuck_halfway, tcp),
		ON(stuck_halfway, pipe),
		UDPS(too_large),
		ALL(nothing_inherited),
		ALL(few_descriptors),
		ALL(nothing_stays),
		ALL(destroyed_alone),
		ON(late_joiner, uds_stream),
		ON(late_joiner, udp),
		PIPES(late_joiner),
		ALL(early_joiner),
		TCPS(stranger),
		UNIXES(nobody_serves),
		TCPS(nobody_serves),
		ON(nobody_serves, fifo),
		UNIXES(connections),
		TCPS(connections),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
