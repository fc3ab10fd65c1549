/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hands messages to the command of --on-slow. The keeper (slow_keeper.h) starts the command, and
 * outlives this program for as long as it takes to end what the command has started. The stdin of a
 * command is a file in memory, which is complete at once.
 */
#include "command/watch/on_slow.h"

#include "command/watch/slow_keeper.h"
#include "util/clock.h"
#include "util/log.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* The last command, and what the commands have started, have so long to end by themselves. */
#define END_NS      NSEC_PER_SEC
#define END_POLL_NS (10 * NSEC_PER_MSEC)

/* The keeper kills, after a second, what has not ended on SIGTERM. */
#define STOP_NS (10 * NSEC_PER_SEC)

struct on_slow {
	const char *command;
	pid_t keeper; /* 0: it has ended */
	int socket;
	bool runs;
	uint64_t started;
	uint64_t skipped;
	bool has_failed; /* logged */
};

static void fail(struct on_slow *slow, int err)
{
	slow->skipped++;
	if (!slow->has_failed)
		log_warning("--on-slow: '%s': cannot be started: %s: it misses messages",
			    slow->command, strerror(err));
	slow->has_failed = true;
}

/* 0 or -errno. */
static int start_keeper(struct on_slow *slow, const struct caller *caller)
{
	struct slow_keeper keeper = {
		.command = slow->command, .caller = caller, .program = getpid()};
	int ends[2], err;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return -errno;
	keeper.socket = ends[1];
	slow->keeper = fork();
	err = -errno;
	if (!slow->keeper)
		slow_keeper_run(&keeper);
	close(ends[1]);
	slow->socket = ends[0];
	if (slow->keeper > 0)
		return 0;
	close(ends[0]);
	return err;
}

struct on_slow *on_slow__new(const char *command)
{
	const struct caller *caller = caller_find();
	struct on_slow *slow = caller ? calloc(1, sizeof(*slow)) : NULL;
	int err;

	if (!slow)
		return NULL;
	slow->command = command;
	err = start_keeper(slow, caller);
	if (!err)
		return slow;
	log_error("--on-slow: '%s': cannot be started: %s: end other programs, or allow this user "
		  "more processes (ulimit -u)",
		  command, strerror(-err));
	free(slow);
	errno = -err;
	return NULL;
}

uint32_t on_slow__pid(const struct on_slow *slow)
{
	return (uint32_t)slow->keeper;
}

/* A descriptor at the begin of the text, or -1 and errno. */
static int input_of(const char *text, size_t length)
{
	int input = memfd_create("message", MFD_CLOEXEC);

	if (input < 0)
		return -1;
	if (write(input, text, length) == (ssize_t)length && write(input, "\n", 1) == 1 &&
	    !lseek(input, 0, SEEK_SET))
		return input;
	close(input);
	return -1;
}

/* 0 or errno. */
static int hand_over(const struct on_slow *slow, int input)
{
	char byte = 0, space[CMSG_SPACE(sizeof(input))] = {0};
	struct iovec content = {&byte, sizeof(byte)};
	struct msghdr message = {.msg_iov = &content,
				 .msg_iovlen = 1,
				 .msg_control = space,
				 .msg_controllen = sizeof(space)};
	struct cmsghdr *part = CMSG_FIRSTHDR(&message);

	part->cmsg_level = SOL_SOCKET;
	part->cmsg_type = SCM_RIGHTS;
	part->cmsg_len = CMSG_LEN(sizeof(input));
	memcpy(CMSG_DATA(part), &input, sizeof(input));
	return sendmsg(slow->socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? errno : 0;
}

void on_slow__start(struct on_slow *slow, const char *text, size_t length)
{
	int input, err;

	on_slow__reap(slow);
	if (slow->runs) {
		slow->skipped++;
		return;
	}
	input = input_of(text, length);
	err = input < 0 ? errno : hand_over(slow, input);
	if (input >= 0)
		close(input);
	if (err) {
		fail(slow, err);
		return;
	}
	slow->runs = true;
	slow->started++;
}

static void note_end(struct on_slow *slow, const struct slow_end *end)
{
	int status = end->status;

	slow->runs = false;
	if (end->err) {
		slow->started -= slow->started > 0;
		fail(slow, end->err);
	}
	if (!status || slow->has_failed)
		return;
	slow->has_failed = true;
	log_warning("--on-slow: '%s': the command failed, %s %d: further failures are not shown",
		    slow->command, WIFSIGNALED(status) ? "by signal" : "with status",
		    WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

void on_slow__reap(struct on_slow *slow)
{
	struct slow_end end;
	ssize_t length;

	while ((length = recv(slow->socket, &end, sizeof(end), MSG_DONTWAIT)) == sizeof(end))
		note_end(slow, &end);
	/* The keeper was killed, and the command with it. The next start fails, and says so. */
	if (!length || (errno != EAGAIN && errno != EINTR))
		slow->runs = false;
}

static void await_end(struct on_slow *slow, uint64_t patience_ns)
{
	uint64_t until_ns = clock_now_ns() + patience_ns;

	while (waitpid(slow->keeper, NULL, WNOHANG) == 0) {
		struct timespec pause = clock_timespec(END_POLL_NS);

		if (clock_now_ns() >= until_ns)
			return;
		nanosleep(&pause, NULL);
	}
	slow->keeper = 0;
}

/* The command and all that it has started. */
static void end(struct on_slow *slow)
{
	shutdown(slow->socket, SHUT_WR);
	await_end(slow, END_NS);
	on_slow__reap(slow);
	if (!slow->keeper)
		return;
	slow->has_failed = true;
	log_warning("--on-slow: '%s': %s: it still runs after the end of tracing", slow->command,
		    slow->runs ? "the last command is ended"
			       : "what the command has started is ended");
	kill(slow->keeper, SIGTERM);
	await_end(slow, STOP_NS);
	if (slow->keeper)
		log_warning("--on-slow: '%s': process %d: its children hang in the kernel: see ps",
			    slow->command, slow->keeper);
	on_slow__reap(slow);
}

void on_slow__free(struct on_slow *slow)
{
	if (!slow)
		return;
	end(slow);
	close(slow->socket);
	if (slow->skipped)
		log_notice("--on-slow: '%s': it was executed for %llu messages, and not for %llu "
			   "that came while it ran",
			   slow->command, (unsigned long long)slow->started,
			   (unsigned long long)slow->skipped);
	free(slow);
}
