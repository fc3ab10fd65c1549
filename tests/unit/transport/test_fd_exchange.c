/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages over the transports that are made of descriptors, sockets and pipes: all sizes, readers
 * and directions. */
#include "bpf/record.h"
#include "model/transport_names.h"
#include "support/fd_transports.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

/* Messages in one direction: enough to fill every buffer. Every byte is checked. */
#define BURST       300
#define BURST_LARGE 100

static const size_t sizes[] = {1, 64, 1500, 65536};

static size_t allowed(const struct transport_ops *ops, size_t size)
{
	return size < ops->size_max() ? size : ops->size_max();
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

/* Allows the send and the receive syscall, and forbids what else a transport might use. */
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

static unsigned int burst_count(const struct ends_spec *spec)
{
	return spec->size > 5000 ? BURST_LARGE : BURST;
}

static void burst_down_server(struct ends_side *side)
{
	for (unsigned int i = 0; i < burst_count(side->spec); i++)
		for (uint32_t client = 1; client <= side->spec->clients; client++)
			ends_expect(side, !ends_send(side, client, true));
}

static void burst_down_client(struct ends_side *side)
{
	receive_all(side, burst_count(side->spec));
}

static void burst_up_server(struct ends_side *side)
{
	receive_all(side, (uint64_t)burst_count(side->spec) * side->spec->clients);
}

static void burst_up_client(struct ends_side *side)
{
	for (unsigned int i = 0; i < burst_count(side->spec); i++)
		ends_expect(side, !ends_send(side, LINK_SERVER, true));
}

/* UDP loses what does not fit into the receiver's buffer, so its bursts are small. */
static void burst(void **state)
{
	static const size_t burst_sizes[] = {64, 5000, 65536};
	struct ends_spec spec = {.ops = *state, .oneway = true};
	size_t count = is_udp(spec.ops) ? 1 : ARRAY_SIZE(burst_sizes);

	for (size_t i = 0; i < count; i++) {
		spec.size = burst_sizes[i];
		spec.clients = spec.size > 5000 ? 1 : 3;
		assert_all(&spec, ends_run(&spec, burst_down_server, burst_down_client),
			   burst_count(&spec), 0);
		assert_all(&spec, ends_run(&spec, burst_up_server, burst_up_client), 0,
			   burst_count(&spec));
	}
}

enum { QUEUED = 30 };

/*
 * All clients always have messages: between two messages of one client, every other client is
 * served.
 */
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

static void interrupted(void **state)
{
	struct ends_spec spec = {.ops = *state, .clients = 1, .size = 64};

	for (spec.reader = 0; spec.reader < NR_READERS; spec.reader++)
		ends_run_interrupted(&spec);
}

/* The largest size that is promised can be sent at once, before the other side receives. */
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

static void not_refused(void **state)
{
	const struct transport_ops *ops = *state;
	struct workload_spec spec = {.clients = 1};

	if (ops->refuse)
		assert_null(ops->refuse(&spec));
	assert_string_equal(ops->name, transport_id_name(ops->id));
	assert_non_null(ops->summary);
	assert_int_equal(ops->is_stream, transport_is_stream(ops->id));
}

TEST_LIST(ALL(not_refused), ALL(ping_pong), ALL(readers), ALL(threads), ALL(one_call), ALL(burst),
	  ALL(fair), ALL(interrupted), ALL(largest))
