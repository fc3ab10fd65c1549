/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Starts, watches and stops a background load. The load is the child of a supervisor process,
 * which cleans up after the load.
 */
#include "load/load.h"

#include "load/kind.h"
#include "util/caller.h"
#include "util/clock.h"
#include "util/proc_stat.h"
#include "util/log.h"
#include "util/signals.h"
#include "workload/setup/directory.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * Runs the supervisor, the process between ipctrace and a background load. The supervisor starts
 * the load as the user that called ipctrace. Error messages contain the last line that the load
 * wrote to stderr.
 */

/* The descriptor of the pipe to the program in the supervisor and the load. */
#define READY_FD  (STDERR_FILENO + 1)

#define PIPE_SIZE (64 * 1024)
#define READ_SIZE 4096

/* The last line that a load has written to stderr: the likely reason if it ends. */
struct last_line {
	char text[120];
	size_t length;
	bool is_over; /* the next character begins a new line */
};

struct supervisor {
	const struct load_kind *kind;
	const char *text; /* the text of --load: a name or a command */
	const struct caller *as;
	struct load_shared *shared;
	int ready_fd; /* as in struct site */
	pid_t program;
	struct directory directory;
	int signals; /* a signalfd for SIGTERM and SIGCHLD */
	int errors;  /* the read end of the load's stderr */
	struct last_line last_line;
	pid_t worker;
	bool has_ended; /* the worker has ended, with: */
	int status;
};

/* The remedy is for a load that cannot be started, not for one that has worked before. */
static void why_set(struct supervisor *supervisor, const char *reason, const char *remedy)
{
	struct load_shared *shared = supervisor->shared;
	const struct last_line *last = &supervisor->last_line;
	const char *what = "cannot start the load", *colon = ": ";

	if (shared->is_ready) {
		what = "the load has ended by itself";
		colon = remedy = "";
	}
	snprintf(shared->why, sizeof(shared->why), "%s: '%.64s': %.120s%s%.*s%s%s%s", what,
		 supervisor->text, reason, last->length ? " (" : "", (int)last->length, last->text,
		 last->length ? ")" : "", colon, remedy);
}

/*
 * Gives up all that a load must not inherit: session, name, scheduling policy, signals,
 * descriptors.
 */
static void load_program_leave(const struct supervisor *supervisor)
{
	const struct sched_param param = {.sched_priority = 0};
	int null;

	setsid();
	prctl(PR_SET_NAME, "ipctrace-load");
	sched_setscheduler(0, SCHED_OTHER, &param);
	signals_default();
	null = open("/dev/null", O_RDWR);
	dup2(supervisor->ready_fd, READY_FD);
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	close_range(READY_FD + 1, UINT_MAX, 0);
	fcntl(READY_FD, F_SETFD, FD_CLOEXEC);
}

static int signals_open(void)
{
	sigset_t watched;
	int fd;

	sigemptyset(&watched);
	sigaddset(&watched, SIGTERM);
	sigaddset(&watched, SIGCHLD);
	sigprocmask(SIG_SETMASK, &watched, NULL);
	fd = signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

static _Noreturn void load_run(const struct supervisor *supervisor, int errors, pid_t parent)
{
	struct site site = {
		.command = supervisor->text,
		.directory = supervisor->directory.path,
		.shared = supervisor->shared,
		.ready_fd = READY_FD,
	};
	char name[16];

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(EXIT_FAILURE);
	if (supervisor->kind->name) {
		snprintf(name, sizeof(name), "ipctrace-%s", supervisor->kind->name);
		prctl(PR_SET_NAME, name);
	}
	dup2(errors, STDERR_FILENO);
	signals_default();
	_exit(supervisor->kind->run(&site));
}

static int load_process_start(struct supervisor *supervisor)
{
	pid_t self = getpid();
	int errors[2];

	if (pipe2(errors, O_CLOEXEC))
		return -errno;
	supervisor->worker = fork();
	if (supervisor->worker == 0)
		load_run(supervisor, errors[1], self);
	if (supervisor->worker < 0)
		return -errno;
	/* The parent sets the group too: a SIGTERM that comes now must find it. */
	setpgid(supervisor->worker, supervisor->worker);
	close(errors[1]);
	supervisor->errors = errors[0];
	fcntl(supervisor->errors, F_SETFL, O_NONBLOCK);
	return 0;
}

static void last_line_add(struct last_line *line, char c)
{
	if (c == '\n') {
		line->is_over = true;
		return;
	}
	if (line->is_over)
		line->length = 0;
	line->is_over = false;
	if (line->length < sizeof(line->text))
		line->text[line->length++] = iscntrl((unsigned char)c) ? ' ' : c;
}

/* False: nothing more can be read now. */
static bool errors_read(struct supervisor *supervisor)
{
	char text[READ_SIZE];
	ssize_t length = read(supervisor->errors, text, sizeof(text));

	for (ssize_t i = 0; i < length; i++)
		last_line_add(&supervisor->last_line, text[i]);
	if (length == 0) {
		close(supervisor->errors);
		supervisor->errors = -1;
	}
	return length > 0;
}

/* Orphans of the load are children of this process as well. */
static void load_children_reap(struct supervisor *supervisor)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid != supervisor->worker)
			continue;
		supervisor->has_ended = true;
		supervisor->status = status;
	}
}

/* True: it is time to end. */
static bool signals_read(struct supervisor *supervisor)
{
	struct signalfd_siginfo info;
	bool asked = false;

	while (read(supervisor->signals, &info, sizeof(info)) == sizeof(info))
		asked |= info.ssi_signo == SIGTERM;
	load_children_reap(supervisor);
	return asked || supervisor->has_ended;
}

static void load_watch(struct supervisor *supervisor)
{
	bool is_over = false;

	while (!is_over) {
		struct pollfd fds[] = {{.fd = supervisor->signals, .events = POLLIN},
				       {.fd = supervisor->errors, .events = POLLIN}};

		poll(fds, 2, -1);
		if (fds[1].revents)
			errors_read(supervisor);
		if (fds[0].revents)
			is_over = signals_read(supervisor);
	}
}

/* For a load that has ended by itself. */
static void ending_explain(struct supervisor *supervisor)
{
	const char *remedy = "try another --load, or none";
	char reason[LOAD_WHY_LEN];
	char names[LOAD_WHY_LEN];

	/* What the worker wrote before it ended. Other processes of the load may go on writing. */
	for (size_t size = 0; size < PIPE_SIZE && supervisor->errors >= 0; size += READ_SIZE)
		if (!errors_read(supervisor))
			break;
	if (supervisor->shared->reason[0])
		snprintf(reason, sizeof(reason), "%s", supervisor->shared->reason);
	else
		snprintf(reason, sizeof(reason), "it was killed by signal %d",
			 WTERMSIG(supervisor->status));
	if (!supervisor->kind->name) {
		snprintf(names, sizeof(names),
			 "use one of %s, or a command that goes on until it is stopped",
			 load_names());
		remedy = names;
	}
	why_set(supervisor, reason, remedy);
}

static int load_set_up(struct supervisor *supervisor)
{
	const struct caller self = {.is_other = false};
	int err = caller_become(supervisor->as);

	if (err)
		return err;
	/* A change of user clears this setting, so it comes after. The program may be dead. */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != supervisor->program)
		_exit(EXIT_FAILURE);
	if (prctl(PR_SET_CHILD_SUBREAPER, 1))
		return -errno;
	supervisor->signals = signals_open();
	if (supervisor->signals < 0)
		return supervisor->signals;
	/* It belongs to that user. */
	err = directory_make(&supervisor->directory, DIRECTORY_OF_LOAD, &self);
	if (err)
		return err;
	setenv("TMPDIR", supervisor->directory.path, 1);
	return load_process_start(supervisor);
}

/* Runs in a child of the program. Failures are reported in shared->why. */
static _Noreturn void supervisor_run(struct supervisor *supervisor)
{
	int err;

	load_program_leave(supervisor);
	err = load_set_up(supervisor);
	if (err) {
		why_set(supervisor, strerror(-err),
			"see that /tmp can be written and processes "
			"can be made (ulimit -u)");
	} else {
		load_watch(supervisor);
		if (supervisor->has_ended)
			ending_explain(supervisor);
		descendants_end(supervisor->worker);
	}
	directory_remove(&supervisor->directory);
	_exit(EXIT_SUCCESS);
}

/* An X server on a busy machine needs this long. */
#define START_MS_MAX 20000

#define CHECK_MS     5

struct load {
	pid_t supervisor;
	bool has_ended; /* the supervisor has ended and is reaped */
	struct load_shared *shared;
};

/* Whether the supervisor has ended. Nothing of the load is left then. */
static bool supervisor_reap(struct load *load)
{
	if (!load->has_ended)
		load->has_ended = waitpid(load->supervisor, NULL, WNOHANG) != 0;
	return load->has_ended;
}

static int supervisor_start(struct load *load, const char *text, const struct caller *as,
			    int ready_fd)
{
	struct supervisor supervisor = {
		.kind = load_kind_find(text),
		.text = text,
		.as = as,
		.shared = load->shared,
		.ready_fd = ready_fd,
		.program = getpid(),
	};

	load->supervisor = fork();
	if (load->supervisor == 0)
		supervisor_run(&supervisor);
	return load->supervisor < 0 ? -errno : 0;
}

/* 0 once the load works. -ECHILD: the load has ended, and shared->why has the reason. */
static int load_ready_await(int ready_fd)
{
	const int64_t until_ms = clock_now_ms() + START_MS_MAX;
	struct pollfd fd = {.fd = ready_fd, .events = POLLIN};
	char byte;

	for (;;) {
		int64_t at_ms = clock_now_ms();

		if (at_ms >= until_ms)
			return -ETIMEDOUT;
		if (poll(&fd, 1, (int)(until_ms - at_ms)) > 0)
			return read(ready_fd, &byte, 1) == 1 ? 0 : -ECHILD;
	}
}

static int load_launch(struct load *load, const char *text, const struct caller *as)
{
	int ready_fd[2];
	int err;

	if (pipe2(ready_fd, O_CLOEXEC))
		return -errno;
	err = supervisor_start(load, text, as, ready_fd[1]);
	close(ready_fd[1]);
	if (!err)
		err = load_ready_await(ready_fd[0]);
	close(ready_fd[0]);
	return err;
}

static struct load *load_new(void)
{
	struct load *load = calloc(1, sizeof(*load));

	if (!load)
		return NULL;
	load->shared = mmap(NULL, sizeof(*load->shared), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (load->shared == MAP_FAILED) {
		free(load);
		return NULL;
	}
	return load;
}

static void start_explain(const struct load *load, const char *text, int err,
			  char why[LOAD_WHY_LEN])
{
	const char *reason =
		err == -ETIMEDOUT ? "it did not begin to work in time" : strerror(-err);

	if (err == -ECHILD && load->shared->why[0])
		snprintf(why, LOAD_WHY_LEN, "%s", load->shared->why);
	else
		snprintf(why, LOAD_WHY_LEN,
			 "cannot start the load: '%.64s': %s: end other programs, or try another "
			 "--load",
			 text, reason);
}

struct load *load__start(const char *text, const struct caller *as, char why[LOAD_WHY_LEN])
{
	struct load *load;
	int err;

	if (load_refuse(text, why)) {
		errno = EINVAL;
		return NULL;
	}
	load = load_new();
	if (!load) {
		snprintf(why, LOAD_WHY_LEN,
			 "cannot start the load: '%.64s': %s: end other programs", text,
			 strerror(ENOMEM));
		errno = ENOMEM;
		return NULL;
	}
	err = load_launch(load, text, as);
	if (!err)
		return load;
	start_explain(load, text, err, why);
	load__stop(load);
	errno = -err;
	return NULL;
}

bool load__alive(struct load *load, char why[LOAD_WHY_LEN])
{
	if (!supervisor_reap(load))
		return true;
	snprintf(why, LOAD_WHY_LEN, "%s",
		 load->shared->why[0] ? load->shared->why
				      : "the load has ended by itself: its supervisor was killed");
	return false;
}

uint64_t load__count(const struct load *load)
{
	return atomic_load_explicit(&load->shared->count, memory_order_relaxed);
}

/* A process of the load may hang in the kernel. The supervisor then goes on waiting for it. */
static void supervisor_stop(struct load *load)
{
	const int64_t until_ms = clock_now_ms() + LOAD_STOP_MS_MAX;

	if (load->supervisor <= 0 || load->has_ended)
		return;
	kill(load->supervisor, SIGTERM);
	while (!supervisor_reap(load) && clock_now_ms() < until_ms)
		site_sleep_ms(CHECK_MS);
	if (!load->has_ended)
		log_warning(
			"cannot end the load: process %d: its children hang in the kernel: see ps, "
			"because they disturb later runs",
			load->supervisor);
}

void load__stop(struct load *load)
{
	if (!load)
		return;
	supervisor_stop(load);
	munmap(load->shared, sizeof(*load->shared));
	free(load);
}
