/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements the transports "signal" and "signal-std". Messages lie in rings of shared memory. A
 * sender signals the receiving thread for each message. A receiver waits in sigtimedwait() when
 * its rings are empty.
 *
 * "signal" sends real-time signals, which queue. "signal-std" sends a standard signal, which
 * merges with a pending signal of the same number. At the kernel's limit (RLIMIT_SIGPENDING),
 * "signal" sends a standard signal instead. Receivers therefore wait for both kinds of signal.
 *
 * The signals stay blocked in the thread after close(), because a late signal would kill the
 * process.
 */
#include "transport/rings.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SIGNAL_MERGING SIGUSR1
#define SIGNAL_QUEUED  SIGRTMIN

/* Announces that an end closes. It is no message and not counted. */
#define SIGNAL_CLOSING SIGUSR2

static void signal_set(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGNAL_MERGING);
	sigaddset(set, SIGNAL_QUEUED);
	sigaddset(set, SIGNAL_CLOSING);
}

static int signal_listen(struct end *end)
{
	sigset_t set;

	(void)end;
	signal_set(&set);
	return -pthread_sigmask(SIG_BLOCK, &set, NULL);
}

/* 0 or -errno; -ESRCH: the thread is gone. */
static int thread_signal(const struct seat *seat, int number)
{
	return syscall(SYS_tgkill, seat->pid, seat->tid, number) ? -errno : 0;
}

static int queued_send(const struct seat *seat)
{
	siginfo_t info;

	memset(&info, 0, sizeof(info));
	info.si_code = SI_QUEUE;
	info.si_pid = getpid();
	info.si_uid = getuid();
	if (!syscall(SYS_rt_tgsigqueueinfo, seat->pid, seat->tid, SIGNAL_QUEUED, &info))
		return 0;
	return errno == EAGAIN ? thread_signal(seat, SIGNAL_MERGING) : -errno;
}

static int signal_sent(struct end *end, int err)
{
	if (!err)
		atomic_fetch_add(&medium_seat(end->medium, end->seat)->wakes_sent, 1);
	return err == -ESRCH ? -ECONNREFUSED : err;
}

static int signal_ring(struct end *end, uint32_t seat)
{
	return signal_sent(end, queued_send(medium_seat(end->medium, seat)));
}

static int signal_std_ring(struct end *end, uint32_t seat)
{
	return signal_sent(end, thread_signal(medium_seat(end->medium, seat), SIGNAL_MERGING));
}

static void signal_ring_last(struct end *end, uint32_t seat)
{
	thread_signal(medium_seat(end->medium, seat), SIGNAL_CLOSING);
}

/* Consumes a pending signal; `limit` NULL: waits for one. 0 or -errno. */
static int signal_get(const struct end *end, const struct timespec *limit)
{
	sigset_t set;
	int number;

	signal_set(&set);
	number = sigtimedwait(&set, NULL, limit);
	if (number < 0)
		return -errno;
	if (number != SIGNAL_CLOSING)
		atomic_fetch_add(&medium_seat(end->medium, end->seat)->wakes_delivered, 1);
	return 0;
}

static int signal_wait(struct end *end)
{
	return signal_get(end, NULL);
}

/* Consumes the signal of a message that was received without waiting, or signals would pile up. */
static void signal_skip(struct end *end)
{
	signal_get(end, &(struct timespec){0});
}

/*
 * Pending signals count as delivered, even if there was no message left to wait for. Only merged
 * signals are missing then from those that were sent.
 */
static void signal_wakes(const struct end *end, uint64_t *sent, uint64_t *delivered)
{
	struct seat *seat = medium_seat(end->medium, end->seat);

	while (!signal_get(end, &(struct timespec){0}))
		;
	*sent = atomic_load(&seat->wakes_sent);
	*delivered = atomic_load(&seat->wakes_delivered);
}

static const struct bell signal_bell = {
	.listen = signal_listen,
	.ring = signal_ring,
	.ring_last = signal_ring_last,
	.wait = signal_wait,
	.skip = signal_skip,
};

static const struct bell signal_std_bell = {
	.listen = signal_listen,
	.ring = signal_std_ring,
	.ring_last = signal_ring_last,
	.wait = signal_wait,
};

static const char *signal_refuse(const struct workload_spec *spec)
{
	if (spec->reader != READER_BLOCK)
		return "signals are waited for with sigwaitinfo, not with poll or epoll: use "
		       "--reader block, or --transport eventfd";
	return NULL;
}

const struct transport_ops signal_transport = {
	.name = "signal",
	.summary = "shared memory; a real-time signal announces each message",
	.id = TRANSPORT_SIGNAL,
	.refuse = signal_refuse,
	.wakes = signal_wakes,
	.bell = &signal_bell,
	RINGS_HOOKS,
};

const struct transport_ops signal_std_transport = {
	.name = "signal-std",
	.summary = "like signal, but with standard signals: several pending signals merge into one",
	.id = TRANSPORT_SIGNAL_STD,
	.refuse = signal_refuse,
	.wakes = signal_wakes,
	.bell = &signal_std_bell,
	RINGS_HOOKS,
};
