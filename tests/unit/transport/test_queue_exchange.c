/* SPDX-License-Identifier: BSD-2-Clause */
/* Exchanges over transports whose messages lie in memory or in a queue, and what a receiver sleeps
 * in. */
#include "support/queues.h"

#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct transport_ops *const rings[] = {
	&shm_transport,
	&eventfd_transport,
	&signal_transport,
	&signal_std_transport,
};

static void check_exchanges(const struct ends_spec *spec)
{
	const struct ends_outcome *outcome = ends_run(spec, queues_echo_server, queues_echo_client);

	assert_all(spec, outcome, queues_exchanges(spec), queues_exchanges(spec));
}

TEST(test_exchanges)
{
	for (size_t i = 0; i < QUEUES_CNT; i++)
		queues_check_all(queues[i], READER_BLOCK, false, check_exchanges);
}

TEST(test_readers)
{
	for (enum reader reader = READER_POLL; reader <= READER_EPOLL; reader++) {
		queues_check_all(&eventfd_transport, reader, false, check_exchanges);
		queues_check_all(&mqueue_transport, reader, false, check_exchanges);
	}
}

TEST(test_readers_refused)
{
	const struct transport_ops *const block_only[] = {&shm_transport, &signal_transport,
							  &signal_std_transport, &sysv_transport};
	struct workload_spec spec = {.clients = 1};

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

/* Whether a receiver of this transport should sleep in this syscall. */
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

/* The syscall that a thread sleeps in; -1: it runs. Threads of the same process may read this. */
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

/* Client 2 checks in which syscall client 1 sleeps. */
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

TEST(test_receiver_sleeps_in)
{
	for (size_t i = 0; i < QUEUES_CNT; i++)
		for (enum reader reader = READER_BLOCK; reader < NR_READERS; reader++) {
			struct workload_spec wanted = {.clients = 2, .reader = reader};
			struct ends_spec spec = {.ops = queues[i],
						 .clients = 2,
						 .size = 64,
						 .reader = reader,
						 .threads = true};

			if (!queues[i]->refuse || !queues[i]->refuse(&wanted))
				ends_run(&spec, sleeper_server, sleeper_client);
		}
}

TEST(test_interrupted)
{
	for (size_t i = 0; i < QUEUES_CNT; i++)
		for (enum reader reader = READER_BLOCK; reader < NR_READERS; reader++) {
			struct workload_spec wanted = {.clients = 1, .reader = reader};
			struct ends_spec spec = {
				.ops = queues[i], .clients = 1, .size = 64, .reader = reader};

			if (queues[i]->refuse && queues[i]->refuse(&wanted))
				continue;
			ends_run_interrupted(&spec);
		}
}

/* Checks the handover of the last message that was sent or received. */
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
		uint32_t from = queues_message_await(side);

		handover_check(side, from, true, &before_ns);
		ends_expect(side, ends_send(side, from, true) == 0);
		handover_check(side, from, false, &before_ns);
	}
}

/* Sends two messages at once, so that one of them is often there when receive() begins. */
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

TEST(test_handover)
{
	for (size_t i = 0; i < NR(rings); i++) {
		struct ends_spec spec = {.ops = rings[i], .clients = 3, .size = 64};

		assert_true(rings[i]->notes_handover);
		ends_run(&spec, handover_server, handover_client);
	}
	assert_false(mqueue_transport.notes_handover);
	assert_false(sysv_transport.notes_handover);
}
