/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs the keeper: starts commands one after the other, and ends what they leave behind. */
#include "command/watch/slow_keeper.h"

#include "util/descendants.h"
#include "util/process_limits.h"
#include "util/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* No name with "ipctrace": `pkill -9 ipctrace` leaves the keeper alone, and it cleans up. */
#define NAME "on-slow"

/* The descriptor of the socket in the keeper. */
#define SOCKET_FD (STDERR_FILENO + 1)

struct kept {
	const struct slow_keeper *keeper;
	int signals;  /* a signalfd for SIGTERM and SIGCHLD */
	pid_t shell;  /* 0: none runs */
	bool is_open; /* further commands may come */
};

static void answer(struct slow_end end)
{
	if (send(SOCKET_FD, &end, sizeof(end), MSG_NOSIGNAL) < 0)
		return; /* the program has ended, and needs no answer */
}

/*
 * Its output goes to stderr, because stdout is the report. A keeper that is killed takes it along.
 */
_Noreturn static void execute(const struct kept *kept, int input, pid_t parent)
{
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(EXIT_FAILURE);
	signals_default();
	process_limits_restore();
	dup2(input, STDIN_FILENO);
	close_range(STDERR_FILENO + 1, UINT_MAX, 0);
	execl("/bin/sh", "sh", "-c", kept->keeper->command, NULL);
	_exit(127);
}

static void start(struct kept *kept, int input)
{
	pid_t self = getpid(), pid = fork();

	if (!pid)
		execute(kept, input, self);
	if (pid < 0) {
		answer((struct slow_end){.err = errno});
		return;
	}
	/* The parent sets the group, too: a SIGTERM that comes now must find it. */
	setpgid(pid, pid);
	kept->shell = pid;
}

/* The descriptor that came. -1: no command comes any more. */
static int receive(void)
{
	char byte, space[CMSG_SPACE(sizeof(int))];
	struct iovec content = {&byte, sizeof(byte)};
	struct msghdr message = {.msg_iov = &content,
				 .msg_iovlen = 1,
				 .msg_control = space,
				 .msg_controllen = sizeof(space)};
	ssize_t length = recvmsg(SOCKET_FD, &message, MSG_CMSG_CLOEXEC);
	const struct cmsghdr *part = length > 0 ? CMSG_FIRSTHDR(&message) : NULL;
	int input = -1;

	if (part && part->cmsg_type == SCM_RIGHTS)
		memcpy(&input, CMSG_DATA(part), sizeof(input));
	return input;
}

static void serve(struct kept *kept)
{
	int input = receive();

	kept->is_open = input >= 0;
	if (input < 0)
		return;
	start(kept, input);
	close(input);
}

/* Orphans are children of the keeper as well. False: none is left. */
static bool reap(struct kept *kept)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid != kept->shell)
			continue;
		kept->shell = 0;
		answer((struct slow_end){.status = status});
	}
	return !pid;
}

/* True: it is time to end. */
static bool read_signals(const struct kept *kept)
{
	struct signalfd_siginfo info;
	bool asked = false;

	while (read(kept->signals, &info, sizeof(info)) == sizeof(info))
		asked |= info.ssi_signo == SIGTERM;
	return asked;
}

static void keep(struct kept *kept)
{
	bool is_over = false;

	while (!is_over) {
		struct pollfd fds[] = {{.fd = kept->signals, .events = POLLIN},
				       {.fd = kept->is_open ? SOCKET_FD : -1, .events = POLLIN}};

		poll(fds, 2, -1);
		is_over = read_signals(kept);
		if (!is_over && fds[1].revents)
			serve(kept);
		is_over |= !reap(kept) && !kept->is_open;
	}
}

static int open_signals(void)
{
	sigset_t watched;

	sigemptyset(&watched);
	sigaddset(&watched, SIGTERM);
	sigaddset(&watched, SIGCHLD);
	sigprocmask(SIG_SETMASK, &watched, NULL);
	return signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK);
}

/*
 * A change of user clears PR_SET_PDEATHSIG, so that comes after. The program may be dead already.
 */
static int set_up(struct kept *kept)
{
	int err = caller_become(kept->keeper->caller);

	if (err)
		return err;
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != kept->keeper->program)
		_exit(EXIT_FAILURE);
	kept->signals = open_signals();
	return kept->signals < 0 || prctl(PR_SET_CHILD_SUBREAPER, 1) ? -errno : 0;
}

/*
 * A session of its own keeps ^C away, and shows what the commands have started. An open copy of the program's stdout would keep its
 * reader waiting.
 */
static void program_leave(const struct slow_keeper *keeper)
{
	int null;

	setsid();
	prctl(PR_SET_NAME, NAME);
	signals_default();
	dup2(keeper->socket, SOCKET_FD);
	close_range(SOCKET_FD + 1, UINT_MAX, 0);
	null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	dup2(null, STDIN_FILENO);
	close(null);
	dup2(STDERR_FILENO, STDOUT_FILENO);
}

_Noreturn void slow_keeper_run(const struct slow_keeper *keeper)
{
	struct kept kept = {.keeper = keeper, .is_open = true};
	int err;

	program_leave(keeper);
	err = set_up(&kept);
	if (err) {
		answer((struct slow_end){.err = -err});
		_exit(EXIT_FAILURE);
	}
	keep(&kept);
	descendants_end(kept.shell);
	_exit(EXIT_SUCCESS);
}
