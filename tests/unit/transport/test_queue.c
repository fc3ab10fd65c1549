/* SPDX-License-Identifier: BSD-2-Clause */
/* Transports whose messages lie in memory or in a queue: shm, eventfd, signals, mqueue, sysv. */
#include "support/build.h"
#include "support/ends.h"

#include "transport/limits.h"
#include "transport/ring.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXCHANGES 300
#define BURST     2000
#define LARGE     65536

static const struct transport_ops *const all[] = {
	&shm_transport,        &eventfd_transport, &signal_transport,
	&signal_std_transport, &mqueue_transport,  &sysv_transport,
};
static const struct transport_ops *const rings[] = {
	&shm_transport,
	&eventfd_transport,
	&signal_transport,
	&signal_std_transport,
};
static const size_t sizes[] = {1, 64, 1500, LARGE};

#define NR(array) (sizeof(array) / sizeof((array)[0]))

/* Every byte of every message is made and checked one by one. */
static int exchanges(const struct ends_spec *spec)
{
	return spec->size < LARGE ? EXCHANGES : 20;
}

static int burst(const struct ends_spec *spec)
{
	return spec->size < LARGE ? BURST : 100;
}

/* From whom a message came. Clients may have closed their ends meanwhile. */
static uint32_t message_await(struct ends_side *side)
{
	uint32_t from = LINK_SERVER;
	int count;

	while (!(count = ends_receive(side, &from)))
		;
	ends_expect(side, count == 1);
	return from;
}

static void echo_server(struct ends_side *side)
{
	for (uint32_t i = 0; i < exchanges(side->spec) * side->spec->clients; i++)
		ends_expect(side, ends_send(side, message_await(side), true) == 0);
}

static void echo_client(struct ends_side *side)
{
	for (int i = 0; i < exchanges(side->spec); i++) {
		ends_expect(side, ends_send(side, LINK_SERVER, true) == 0);
		ends_expect(side, ends_receive(side, NULL) == 1);
	}
}

static void sender(struct ends_side *side)
{
	for (int i = 0; i < burst(side->spec); i++)
		ends_expect(side, ends_send(side, LINK_SERVER, true) == 0);
}

/* Until all clients have closed their ends, and then nobody is left to wait for. */
static void receiver(struct ends_side *side)
{
	uint32_t ended = 0;

	while (ended < side->spec->clients) {
		int count = ends_receive(side, NULL);

		ends_expect(side, count >= 0);
		ended += count == 0;
	}
	ends_expect(side, ends_receive(side, NULL) == -ECONNRESET);
}

static void push_server(struct ends_side *side)
{
	for (int i = 0; i < burst(side->spec); i++)
		for (uint32_t client = 1; client <= side->spec->clients; client++)
			ends_expect(side, ends_send(side, client, true) == 0);
}

static void push_client(struct ends_side *side)
{
	while (ends_receive(side, NULL) == 1)
		;
	ends_expect(side, ends_receive(side, NULL) == -ECONNRESET);
}

static void assert_way(const struct ends_outcome *outcome, uint32_t from, uint32_t to,
		       uint64_t messages)
{
	assert_int_equal(outcome->sides[from].sent[to], messages);
	assert_int_equal(outcome->sides[to].received[from], messages);
	assert_int_equal(outcome->sides[to].corrupt[from], 0);
}

static void check_exchanges(const struct ends_spec *spec)
{
	const struct ends_outcome *outcome = ends_run(spec, echo_server, echo_client);

	for (uint32_t client = 1; client <= spec->clients; client++) {
		assert_way(outcome, client, LINK_SERVER, exchanges(spec));
		assert_way(outcome, LINK_SERVER, client, exchanges(spec));
	}
}

static void check_bursts(const struct ends_spec *spec)
{
	const struct ends_outcome *outcome = ends_run(spec, receiver, sender);

	for (uint32_t client = 1; client <= spec->clients; client++) {
		assert_way(outcome, client, LINK_SERVER, burst(spec));
		assert_int_equal(outcome->sides[LINK_SERVER].ended[client], 1);
	}
	outcome = ends_run(spec, push_server, push_client);
	for (uint32_t client = 1; client <= spec->clients; client++) {
		assert_way(outcome, LINK_SERVER, client, burst(spec));
		assert_int_equal(outcome->sides[client].ended[LINK_SERVER], 1);
	}
}

/* All sizes that the transport lets through, one client and several, processes and threads. */
static void check_all(const struct transport_ops *ops, enum reader reader,
		      void (*check)(const struct ends_spec *spec))
{
	struct ends_spec spec = {.ops = ops, .reader = reader, .oneway = check == check_bursts};

	for (size_t i = 0; i < NR(sizes) && sizes[i] <= ops->size_max(); i++) {
		spec.size = sizes[i];
		for (spec.clients = 1; spec.clients <= 3; spec.clients += 2)
			for (int threads = 0; threads <= 1; threads++) {
				spec.threads = threads;
				check(&spec);
			}
	}
}

static void test_exchanges(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR(all); i++)
		check_all(all[i], READER_BLOCK, check_exchanges);
}

static void test_bursts(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR(all); i++)
		check_all(all[i], READER_BLOCK, check_bursts);
}

static void test_readers(void **state)
{
	(void)state;
	for (enum reader reader = READER_POLL; reader <= READER_EPOLL; reader++) {
		check_all(&eventfd_transport, reader, check_exchanges);
		check_all(&mqueue_transport, reader, check_exchanges);
		check_all(&eventfd_transport, reader, check_bursts);
		check_all(&mqueue_transport, reader, check_bursts);
	}
}

static void test_readers_refused(void **state)
{
	const struct transport_ops *const block_only[] = {&shm_transport, &signal_transport,
							  &signal_std_transport, &sysv_transport};
	struct workload_spec spec = {.clients = 1};

	(void)state;
	for (size_t i = 0; i < NR(block_only); i++) {
		spec.reader = READER_BLOCK;
		assert_null(block_only[i]->refuse(&spec));
		spec.reader = READER_POLL;
		assert_non_null(strstr(block_only[i]->refuse(&spec), "--reader block"));
		spec.reader = READER_EPOLL;
		assert_non_null(strstr(block_only[i]->refuse(&spec), "--reader block"));
	}
	assert_null(mqueue_transport.refuse(&spec));
}

static void sleeper_server(struct ends_side *side)
{
	ends_await(side, 0, 1);
}

static bool is_any(long number, const long *numbers, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (numbers[i] == number)
			return true;
	return false;
}

/* Whether this system call is what a receiver of this transport should sleep in. */
static bool is_right_call(const struct ends_spec *spec, long number)
{
#ifdef SYS_poll
	const long polls[] = {SYS_poll, SYS_ppoll};
	const long epolls[] = {SYS_epoll_wait, SYS_epoll_pwait};
#else
	const long polls[] = {SYS_ppoll};
	const long epolls[] = {SYS_epoll_pwait};
#endif
	if (spec->reader == READER_POLL)
		return is_any(number, polls, NR(polls));
	if (spec->reader == READER_EPOLL)
		return is_any(number, epolls, NR(epolls));
	if (spec->ops == &shm_transport)
		return number == SYS_futex;
	if (spec->ops == &eventfd_transport)
		return number == SYS_read;
	if (spec->ops == &mqueue_transport)
		return number == SYS_mq_timedreceive;
	if (spec->ops == &sysv_transport)
		return number == SYS_msgrcv;
	return number == SYS_rt_sigtimedwait;
}

/* -1: none, it runs. A thread of the same process may always look. */
static long call_of(uint64_t tid)
{
	char path[64];
	long number = -1;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%lu/syscall", (unsigned long)tid);
	file = fopen(path, "r");
	if (!file || fscanf(file, "%ld", &number) != 1)
		number = -1;
	if (file)
		fclose(file);
	return number;
}

/* Client 2 looks what client 1 sleeps in. */
static void sleeper_client(struct ends_side *side)
{
	_Atomic uint64_t *tid = &side->outcome->sides[1].value;
	bool right = false;

	if (side->client == 1) {
		*tid = (uint64_t)syscall(SYS_gettid);
		ends_expect(side, ends_receive(side, NULL) == 0);
		return;
	}
	for (int looks = 0; looks < 5000 && !right; looks++) {
		right = *tid && is_right_call(side->spec, call_of(*tid));
		usleep(1000);
	}
	ends_expect(side, right);
	ends_tell(side, 0);
}

static void test_receiver_sleeps_in(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR(all); i++)
		for (enum reader reader = READER_BLOCK; reader < NR_READERS; reader++) {
			struct workload_spec wanted = {.clients = 2, .reader = reader};
			struct ends_spec spec = {.ops = all[i],
						 .clients = 2,
						 .size = 64,
						 .reader = reader,
						 .threads = true};

			if (!all[i]->refuse || !all[i]->refuse(&wanted))
				ends_run(&spec, sleeper_server, sleeper_client);
		}
}

static bool is_ring(const struct transport_ops *ops)
{
	return ops != &mqueue_transport && ops != &sysv_transport;
}

/* Fills the link to client 1, which looks on; then it takes all there is, and there is room. */
static void fill_server(struct ends_side *side)
{
	while (!ends_send(side, 1, false))
		;
	ends_expect(side, side->counts->error == -EAGAIN);
	/* This takes its second: all rings are the same. */
	if (!is_ring(side->spec->ops) || side->spec->ops == &shm_transport)
		ends_expect(side, ends_send(side, 1, true) == -EAGAIN);
	side->counts->value = side->counts->sent[1];
	ends_tell(side, 0);
	ends_await(side, 1, 1);
	ends_expect(side, ends_send(side, 1, false) == 0);
	ends_expect(side, ends_send(side, 1, true) == 0);
}

static void fill_client(struct ends_side *side)
{
	uint64_t filled;

	ends_await(side, 0, 1);
	filled = side->outcome->sides[LINK_SERVER].value;
	while (side->counts->received[LINK_SERVER] < filled)
		ends_expect(side, ends_receive(side, NULL) == 1);
	ends_tell(side, 1);
	while (ends_receive(side, NULL) == 1)
		;
}

/* As many messages as a POSIX queue of any user may have, of those that are wanted. */
static uint64_t mqueue_least(void)
{
	long allowed = limit_read("/proc/sys/fs/mqueue/msg_max", 2);

	return allowed < 256 ? (uint64_t)allowed : 256;
}

static void test_full(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR(all); i++) {
		struct ends_spec spec = {.ops = all[i], .clients = 1, .size = 64};
		const struct ends_outcome *outcome = ends_run(&spec, fill_server, fill_client);
		uint64_t filled = outcome->sides[LINK_SERVER].value;

		assert_true(filled >= (all[i] == &mqueue_transport ? mqueue_least() : 2));
		assert_way(outcome, LINK_SERVER, 1, filled + 2);
	}
}

/* A sender that sleeps for room goes on as soon as there is some, and not after its time is up. */
static void patient_server(struct ends_side *side)
{
	while (!ends_send(side, 1, false))
		;
	ends_tell(side, 0);
	for (int i = 0; i < BURST; i++)
		ends_expect(side, ends_send(side, 1, true) == 0);
}

static void patient_client(struct ends_side *side)
{
	ends_await(side, 0, 1);
	usleep(20000);
	while (ends_receive(side, NULL) == 1)
		;
}

static void test_room_is_awaited(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR(all); i++) {
		struct ends_spec spec = {.ops = all[i], .clients = 1, .size = 64};
		const struct ends_outcome *outcome;

		outcome = ends_run(&spec, patient_server, patient_client);
		assert_way(outcome, LINK_SERVER, 1, outcome->sides[LINK_SERVER].sent[1]);
	}
}

static void leaving_server(struct ends_side *side)
{
	uint32_t from = LINK_SERVER;
	int err = 0;

	ends_expect(side, ends_receive(side, &from) == 0 && from == 1);
	for (int i = 0; i < BURST && !err; i++)
		err = ends_send(side, 1, false);
	ends_expect(side, err == -EPIPE || err == -ECONNRESET || err == -ECONNREFUSED);
	/* The other one is as well as before, and the end of the first is not told again. */
	for (int i = 0; i < EXCHANGES; i++) {
		ends_expect(side, ends_send(side, 2, true) == 0);
		ends_expect(side, ends_receive(side, &from) == 1 && from == 2);
	}
}

static void leaving_client(struct ends_side *side)
{
	if (side->client == 1)
		return;
	while (ends_receive(side, NULL) == 1)
		ends_expect(side, ends_send(side, LINK_SERVER, true) == 0);
}

static void test_leaving(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR(all); i++)
		for (int threads = 0; threads <= 1; threads++) {
			struct ends_spec spec = {
				.ops = all[i], .clients = 2, .size = 64, .threads = threads};

			ends_run(&spec, leaving_server, leaving_client);
		}
}

/* Sends to a client that was killed fail or pile up; they do not disturb the other. */
static void survivor_server(struct ends_side *side)
{
	uint32_t from = LINK_SERVER;

	ends_await(side, 0, 1);
	for (int i = 0; i < 100; i++) {
		int err = ends_send(side, 1, false);

		ends_expect(side, !err || err == -EAGAIN || err == -ECONNREFUSED);
		ends_expect(side, ends_send(side, 2, true) == 0);
		ends_expect(side, ends_receive(side, &from) == 1 && from == 2);
	}
}

static void survivor_client(struct ends_side *side)
{
	if (side->client == 1) {
		ends_tell(side, 0);
		raise(SIGKILL);
	}
	leaving_client(side);
}

static void test_killed_client(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR(all); i++) {
		struct ends_spec spec = {.ops = all[i], .clients = 2, .size = 64};
		const struct ends_outcome *outcome;

		outcome = ends_run(&spec, survivor_server, survivor_client);
		assert_way(outcome, LINK_SERVER, 2, 100);
		assert_int_equal(WTERMSIG(outcome->sides[1].status), SIGKILL);
	}
}

static void on_alarm(int number)
{
	(void)number;
}

static void interrupted_client(struct ends_side *side)
{
	const struct sigaction action = {.sa_handler = on_alarm};
	/* Again and again: one may come before the thread sleeps. */
	const struct itimerval often = {{.tv_usec = 5000}, {.tv_usec = 5000}};
	uint32_t from;

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	ends_expect(side, side->spec->ops->receive(side->end, side->data, side->spec->size,
						   &from) == -EINTR);
	ends_tell(side, 0);
}

static void interrupted_server(struct ends_side *side)
{
	ends_await(side, 0, 1);
}

static void test_interrupted(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR(all); i++)
		for (enum reader reader = READER_BLOCK; reader < NR_READERS; reader++) {
			struct workload_spec wanted = {.clients = 1, .reader = reader};
			struct ends_spec spec = {
				.ops = all[i], .clients = 1, .size = 64, .reader = reader};

			if (all[i]->refuse && all[i]->refuse(&wanted))
				continue;
			ends_run(&spec, interrupted_server, interrupted_client);
		}
}

/* What handover says of the message that was sent or received just now. */
static void handover_check(struct ends_side *side, uint32_t peer, bool received,
			   uint64_t *before_ns)
{
	const struct handover *handover = side->spec->ops->last_handover(side->end);
	const struct ends_counts *counts = side->counts;

	ends_expect(side, handover->send_ns > 0);
	ends_expect(side, handover->send_ns <= handover->queued_ns);
	if (!received) {
		ends_expect(side, handover->position == counts->sent[peer] - 1);
		ends_expect(side, handover->send_ns >= *before_ns);
		*before_ns = handover->queued_ns;
		return;
	}
	ends_expect(side, handover->position == counts->received[peer] - 1);
	ends_expect(side, handover->queued_ns <= handover->exit_ns);
	ends_expect(side, handover->enter_ns <= handover->exit_ns);
	ends_expect(side, handover->enter_ns >= *before_ns);
	*before_ns = handover->exit_ns;
}

static void handover_server(struct ends_side *side)
{
	uint64_t before_ns = 0;

	for (uint32_t i = 0; i < EXCHANGES * side->spec->clients; i++) {
		uint32_t from = message_await(side);

		handover_check(side, from, true, &before_ns);
		ends_expect(side, ends_send(side, from, true) == 0);
		handover_check(side, from, false, &before_ns);
	}
}

/* Two at once, so that one of them is often there when receive() begins. */
static void handover_client(struct ends_side *side)
{
	uint64_t before_ns = 0;

	for (int i = 0; i < EXCHANGES; i += 2) {
		for (int k = 0; k < 2; k++) {
			ends_expect(side, ends_send(side, LINK_SERVER, true) == 0);
			handover_check(side, LINK_SERVER, false, &before_ns);
		}
		for (int k = 0; k < 2; k++) {
			ends_expect(side, ends_receive(side, NULL) == 1);
			handover_check(side, LINK_SERVER, true, &before_ns);
		}
	}
}

static void test_handover(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR(rings); i++) {
		struct ends_spec spec = {.ops = rings[i], .clients = 3, .size = 64};

		assert_true(rings[i]->notes_handover);
		ends_run(&spec, handover_server, handover_client);
	}
	assert_false(mqueue_transport.notes_handover);
	assert_false(sysv_transport.notes_handover);
}

static void wakes_note(struct ends_side *side)
{
	uint64_t sent, delivered;

	side->spec->ops->wakes(side->end, &sent, &delivered);
	side->counts->value = sent << 32 | delivered;
}

static uint64_t sent_of(const struct ends_counts *counts)
{
	return counts->value >> 32;
}

static uint64_t delivered_of(const struct ends_counts *counts)
{
	return counts->value & UINT32_MAX;
}

/* Sends a burst to a client that does not look before it is over. */
static void burst_server(struct ends_side *side)
{
	for (int i = 0; i < 100; i++)
		ends_expect(side, ends_send(side, 1, true) == 0);
	wakes_note(side);
	ends_tell(side, 0);
	ends_await(side, 2, 1);
}

static void burst_client(struct ends_side *side)
{
	sigset_t pending;

	ends_await(side, 0, 1);
	for (int i = 0; i < 100; i++)
		ends_expect(side, ends_receive(side, NULL) == 1);
	/* Each message has taken its signal with it. */
	sigpending(&pending);
	ends_expect(side, !sigismember(&pending, SIGRTMIN));
	ends_tell(side, 2);
	ends_expect(side, ends_receive(side, NULL) == 0);
	wakes_note(side);
}

static void test_signals_queue(void **state)
{
	struct ends_spec spec = {.ops = &signal_transport, .clients = 1, .size = 64};
	const struct ends_outcome *outcome = ends_run(&spec, burst_server, burst_client);

	(void)state;
	assert_way(outcome, LINK_SERVER, 1, 100);
	assert_int_equal(sent_of(&outcome->sides[LINK_SERVER]), 100);
	assert_int_equal(delivered_of(&outcome->sides[1]), 100);
	assert_int_equal(delivered_of(&outcome->sides[LINK_SERVER]), 0);
	assert_int_equal(sent_of(&outcome->sides[1]), 0);
}

static void test_signals_merge(void **state)
{
	struct ends_spec spec = {.ops = &signal_std_transport, .clients = 1, .size = 64};
	const struct ends_outcome *outcome = ends_run(&spec, burst_server, burst_client);

	(void)state;
	assert_way(outcome, LINK_SERVER, 1, 100);
	assert_int_equal(sent_of(&outcome->sides[LINK_SERVER]), 100);
	assert_int_equal(delivered_of(&outcome->sides[1]), 1);
}

static void counting_server(struct ends_side *side)
{
	echo_server(side);
	wakes_note(side);
	ends_tell(side, 0);
	ends_await(side, 1, side->spec->clients);
}

static void counting_client(struct ends_side *side)
{
	echo_client(side);
	ends_tell(side, 1);
	ends_await(side, 0, 1);
	wakes_note(side);
}

/* In both directions of several links. */
static void test_signals_counted(void **state)
{
	struct ends_spec spec = {.ops = &signal_transport, .clients = 3, .size = 64};
	const struct ends_outcome *outcome = ends_run(&spec, counting_server, counting_client);

	(void)state;
	assert_int_equal(sent_of(&outcome->sides[LINK_SERVER]), 3 * EXCHANGES);
	for (uint32_t client = 1; client <= 3; client++) {
		assert_int_equal(sent_of(&outcome->sides[client]), EXCHANGES);
		assert_int_equal(delivered_of(&outcome->sides[client]), EXCHANGES);
	}
	spec.ops = &signal_std_transport;
	outcome = ends_run(&spec, counting_server, counting_client);
	assert_int_equal(sent_of(&outcome->sides[LINK_SERVER]), 3 * EXCHANGES);
	assert_true(delivered_of(&outcome->sides[LINK_SERVER]) <= 3 * EXCHANGES);
	assert_true(delivered_of(&outcome->sides[LINK_SERVER]) > 0);
}

static void no_signal_queue(void)
{
	const struct rlimit none = {0};

	setrlimit(RLIMIT_SIGPENDING, &none);
}

static void unqueued_server(struct ends_side *side)
{
	no_signal_queue();
	echo_server(side);
}

static void unqueued_client(struct ends_side *side)
{
	no_signal_queue();
	echo_client(side);
}

static void unqueued_burst_client(struct ends_side *side)
{
	no_signal_queue();
	ends_tell(side, 1);
	burst_client(side);
}

static void unqueued_burst_server(struct ends_side *side)
{
	ends_await(side, 1, 1);
	burst_server(side);
}

static void test_signal_queue_full(void **state)
{
	struct ends_spec spec = {.ops = &signal_transport, .clients = 3, .size = 64};
	const struct ends_outcome *outcome = ends_run(&spec, unqueued_server, unqueued_client);

	(void)state;
	for (uint32_t client = 1; client <= 3; client++)
		assert_way(outcome, LINK_SERVER, client, EXCHANGES);
	spec.clients = 1;
	outcome = ends_run(&spec, unqueued_burst_server, unqueued_burst_client);
	assert_way(outcome, LINK_SERVER, 1, 100);
	assert_int_equal(delivered_of(&outcome->sides[1]), 1);
}

static struct medium *medium_make(const struct transport_ops *ops)
{
	const struct medium_spec spec = {.directory = "/tmp", .clients = 2, .size = 64};
	struct medium *medium = ops->create(&spec);

	assert_non_null(medium);
	return medium;
}

static void test_admit(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR(all); i++) {
		struct medium *medium = medium_make(all[i]);
		struct end *server = all[i]->serve(medium), *client;

		/* Nobody comes within a second, which is the same in all of them. */
		if (!i)
			assert_int_equal(all[i]->admit(server, 1), -ETIMEDOUT);
		client = all[i]->join(medium, 1);
		assert_int_equal(all[i]->admit(server, 1), 0);
		all[i]->close(client);
		all[i]->close(server);
		all[i]->destroy(medium);
	}
}

static void test_too_large(void **state)
{
	char data[65] = {0};

	(void)state;
	for (size_t i = 0; i < NR(all); i++) {
		struct medium *medium = medium_make(all[i]);
		struct end *server = all[i]->serve(medium);

		assert_int_equal(all[i]->send(server, 1, data, sizeof(data), false), -EMSGSIZE);
		all[i]->close(server);
		all[i]->destroy(medium);
	}
}

/* How many System V queues there are to which `pid` has sent last. */
static int queues_of(pid_t pid)
{
	FILE *list = fopen("/proc/sysvipc/msg", "r");
	char line[256];
	int count = 0, sender;

	assert_non_null(list);
	while (fgets(line, sizeof(line), list))
		count += sscanf(line, "%*s %*s %*s %*s %*s %d", &sender) == 1 && sender == pid;
	fclose(list);
	return count;
}

/* A driver with a process of its own, who both have used the queues. */
static _Noreturn void driver_run(int closed_reported)
{
	struct medium *medium = medium_make(&sysv_transport);
	struct end *server = sysv_transport.serve(medium);
	struct end *client = sysv_transport.join(medium, 1);

	sysv_transport.send(server, 1, "", 1, false);
	sysv_transport.send(client, LINK_SERVER, "", 1, false);
	if (write(closed_reported, "", 1) == 1)
		pause();
	_exit(1);
}

static void test_killed_driver_leaves_no_queue(void **state)
{
	char byte;
	int fds[2];
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	pid = fork();
	if (!pid)
		driver_run(fds[1]);
	assert_int_equal(read(fds[0], &byte, 1), 1);
	assert_int_equal(queues_of(pid), 2);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	for (int looks = 0; queues_of(pid) && looks < 10000; looks++)
		usleep(1000);
	assert_int_equal(queues_of(pid), 0);
	close(fds[0]);
	close(fds[1]);
}

static void test_destroy_leaves_no_queue(void **state)
{
	struct medium *medium = medium_make(&sysv_transport);
	struct end *server = sysv_transport.serve(medium);
	struct end *client = sysv_transport.join(medium, 1);

	(void)state;
	sysv_transport.send(server, 1, "", 1, false);
	sysv_transport.send(client, LINK_SERVER, "", 1, false);
	assert_int_equal(queues_of(getpid()), 2);
	sysv_transport.close(client);
	sysv_transport.close(server);
	sysv_transport.destroy(medium);
	assert_int_equal(queues_of(getpid()), 0);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

/* mq_open() works without that mount; then the names can't be seen. */
static int names_in(const char *path)
{
	DIR *entries = opendir(path);
	struct dirent *entry;
	char own[32];
	int count = 0;

	snprintf(own, sizeof(own), "ipctrace-%d", (int)getpid());
	while (entries && (entry = readdir(entries)))
		count += !strncmp(entry->d_name, own, strlen(own));
	if (entries)
		closedir(entries);
	return count;
}

static void test_no_names(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR(all); i++) {
		struct medium *medium = medium_make(all[i]);

		assert_int_equal(names_in("/dev/mqueue"), 0);
		assert_int_equal(names_in("/dev/shm"), 0);
		all[i]->destroy(medium);
	}
}

static struct ring *ring_make(size_t size, uint32_t slots)
{
	size_t bytes = ring_bytes(size, slots);
	struct ring *ring = aligned_alloc(CACHE_LINE, bytes);

	assert_non_null(ring);
	memset(ring, 0, bytes);
	ring_init(ring, size, slots);
	return ring;
}

static void test_ring_wraps(void **state)
{
	struct ring *ring = ring_make(sizeof(uint64_t), 4);
	struct handover put, taken;
	uint64_t got;

	(void)state;
	assert_int_equal(ring_look(ring), RING_EMPTY);
	for (uint64_t i = 0; i < 100; i += 4) {
		for (uint64_t k = i; k < i + 4; k++) {
			assert_int_equal(ring_put(ring, &k, sizeof(k), 77, &put), 0);
			assert_int_equal(put.position, k);
		}
		assert_int_equal(ring_put(ring, &i, sizeof(i), 77, &put), -EAGAIN);
		for (uint64_t k = i; k < i + 4; k++) {
			assert_int_equal(ring_look(ring), RING_READY);
			assert_int_equal(ring_get(ring, &got, sizeof(got), &taken), sizeof(got));
			assert_int_equal(got, k);
			assert_int_equal(taken.position, k);
			assert_int_equal(taken.send_ns, 77);
		}
		assert_int_equal(ring_look(ring), RING_EMPTY);
	}
	free(ring);
}

static void test_ring_ends(void **state)
{
	struct ring *ring = ring_make(8, 2);
	struct handover handover;
	char data[9] = "12345678";

	(void)state;
	assert_int_equal(ring_put(ring, data, 9, 0, &handover), -EMSGSIZE);
	assert_int_equal(ring_put(ring, data, 3, 0, &handover), 0);
	ring_finish(ring);
	assert_int_equal(ring_look(ring), RING_READY);
	memset(data, 0, sizeof(data));
	assert_int_equal(ring_get(ring, data, 2, &handover), 2);
	assert_string_equal(data, "12");
	assert_int_equal(ring_look(ring), RING_FINISHED);
	ring_leave(ring);
	assert_int_equal(ring_put(ring, data, 8, 0, &handover), -EPIPE);
	/* Nobody is left to make room: this does not take its 1000 s. */
	ring_await_room(ring, 1000000000000);
	free(ring);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ring_wraps),
		cmocka_unit_test(test_ring_ends),
		cmocka_unit_test(test_exchanges),
		cmocka_unit_test(test_bursts),
		cmocka_unit_test(test_readers),
		cmocka_unit_test(test_readers_refused),
		cmocka_unit_test(test_receiver_sleeps_in),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_room_is_awaited),
		cmocka_unit_test(test_leaving),
		cmocka_unit_test(test_killed_client),
		cmocka_unit_test(test_interrupted),
		cmocka_unit_test(test_handover),
		cmocka_unit_test(test_signals_queue),
		cmocka_unit_test(test_signals_merge),
		cmocka_unit_test(test_signals_counted),
		cmocka_unit_test(test_signal_queue_full),
		cmocka_unit_test(test_admit),
		cmocka_unit_test(test_too_large),
		cmocka_unit_test(test_killed_driver_leaves_no_queue),
		cmocka_unit_test(test_destroy_leaves_no_queue),
		cmocka_unit_test(test_no_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
