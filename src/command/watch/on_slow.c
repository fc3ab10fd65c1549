/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hands messages to the command of --on-slow. The keeper, a process, starts the command, and
 * outlives this program for as long as it takes to end what the command has started. The stdin of a
 * command is a file in memory, which is complete at once.
 */
#include "command/watch/on_slow.h"

#include "util/caller.h"
#include "util/clock.h"
#include "util/proc_stat.h"
#include "util/log.h"
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
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * The keeper gets one message with one descriptor for each command: the stdin of the command. It
 * answers each with a struct slow_end when the shell of the command has ended. When the program
 * closes its end, or shuts it down, no further command comes: the keeper then waits for all that is
 * left and ends.
 */
struct slow_keeper {
	const char *command;
	const struct caller *caller;
	int socket;    /* SOCK_SEQPACKET */
	pid_t program; /* when it ends, in whatever way, the keeper ends all that is left */
};

struct slow_end {
	int err;    /* errno: the command could not be started */
	int status; /* as of waitpid() */
};

/* Runs the keeper: starts commands one after the other, and ends what they leave behind. */

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

static void on_slow_answer(struct slow_end end)
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

static void on_slow_start(struct kept *kept, int input)
{
	pid_t self = getpid(), pid = fork();

	if (!pid)
		execute(kept, input, self);
	if (pid < 0) {
		on_slow_answer((struct slow_end){.err = errno});
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

static void on_slow_serve(struct kept *kept)
{
	int input = receive();

	kept->is_open = input >= 0;
	if (input < 0)
		return;
	on_slow_start(kept, input);
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
		on_slow_answer((struct slow_end){.status = status});
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

static void on_slow_keep(struct kept *kept)
{
	bool is_over = false;

	while (!is_over) {
		struct pollfd fds[] = {{.fd = kept->signals, .events = POLLIN},
				       {.fd = kept->is_open ? SOCKET_FD : -1, .events = POLLIN}};

		poll(fds, 2, -1);
		is_over = read_signals(kept);
		if (!is_over && fds[1].revents)
			on_slow_serve(kept);
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
static int on_slow_set_up(struct kept *kept)
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
 * A session of its own keeps ^C away, and shows what the commands have started. An open copy of the
 * program's stdout would keep its reader waiting.
 */
static void on_slow_program_leave(const struct slow_keeper *keeper)
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

/* Runs the keeper in a new process. SIGTERM makes it end all that is left, and then itself. */
static _Noreturn void slow_keeper_run(const struct slow_keeper *keeper)
{
	struct kept kept = {.keeper = keeper, .is_open = true};
	int err;

	on_slow_program_leave(keeper);
	err = on_slow_set_up(&kept);
	if (err) {
		on_slow_answer((struct slow_end){.err = -err});
		_exit(EXIT_FAILURE);
	}
	on_slow_keep(&kept);
	descendants_end(kept.shell);
	_exit(EXIT_SUCCESS);
}

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

static void on_slow_fail(struct on_slow *slow, int err)
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

/* A descriptor at the start of the text, or -1 and errno. */
static int on_slow_input_of(const char *text, size_t length)
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
static int on_slow_hand_over(const struct on_slow *slow, int input)
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
	input = on_slow_input_of(text, length);
	err = input < 0 ? errno : on_slow_hand_over(slow, input);
	if (input >= 0)
		close(input);
	if (err) {
		on_slow_fail(slow, err);
		return;
	}
	slow->runs = true;
	slow->started++;
}

static void on_slow_note_end(struct on_slow *slow, const struct slow_end *end)
{
	int status = end->status;

	slow->runs = false;
	if (end->err) {
		slow->started -= slow->started > 0;
		on_slow_fail(slow, end->err);
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
		on_slow_note_end(slow, &end);
	/* The keeper was killed, and the command with it. The next start fails, and says so. */
	if (!length || (errno != EAGAIN && errno != EINTR))
		slow->runs = false;
}

static void on_slow_await_end(struct on_slow *slow, uint64_t patience_ns)
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
static void on_slow_end(struct on_slow *slow)
{
	shutdown(slow->socket, SHUT_WR);
	on_slow_await_end(slow, END_NS);
	on_slow__reap(slow);
	if (!slow->keeper)
		return;
	slow->has_failed = true;
	log_warning("--on-slow: '%s': %s: it still runs after the end of tracing", slow->command,
		    slow->runs ? "the last command is ended"
			       : "what the command has started is ended");
	kill(slow->keeper, SIGTERM);
	on_slow_await_end(slow, STOP_NS);
	if (slow->keeper)
		log_warning("--on-slow: '%s': process %d: its children hang in the kernel: see ps",
			    slow->command, slow->keeper);
	on_slow__reap(slow);
}

void on_slow__free(struct on_slow *slow)
{
	if (!slow)
		return;
	on_slow_end(slow);
	close(slow->socket);
	if (slow->skipped)
		log_notice("--on-slow: '%s': it was executed for %llu messages, and not for %llu "
			   "that came while it ran",
			   slow->command, (unsigned long long)slow->started,
			   (unsigned long long)slow->skipped);
	free(slow);
}
