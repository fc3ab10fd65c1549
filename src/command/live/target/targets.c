/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the processes that the user asked to trace, by pid, name, control group or open socket. */
#include "command/live/target/targets.h"

#include "bpf/record.h"
#include "command/channels/unix_files.h"
#include "command/live/proc/scripts.h"
#include "command/sight.h"
#include "util/interpreter.h"
#include "util/log.h"
#include "util/proc_stat.h"
#include "util/process_name.h"
#include "util/read_file.h"
#include "util/rights.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <search.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

/*
 * Says what a PID is that cannot be traced. A user may have it from a container, where processes
 * have other numbers: then the process that is meant has this number in a namespace below.
 */

#define WORD_LEN  64
#define WORDS_LEN 512
#define NAMED_MAX 3 /* further ones are only counted */

static bool read_status(pid_t pid, const char *words, char *rest, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	return read_field("", path, words, rest, size);
}

/* NSpid lists the number in each namespace, from that of /proc down to the innermost. */
static bool has_number_inside(pid_t pid, pid_t number)
{
	char numbers[FILE_LINE_LEN], *last;

	if (!read_status(pid, "NSpid:", numbers, sizeof(numbers)))
		return false;
	last = strrchr(numbers, '\t');
	return last && atoi(last) == number;
}

struct inside {
	pid_t number;
	size_t cnt, length;
	char *words; /* [WORDS_LEN] */
};

static int name_inside(void *ctx, pid_t pid)
{
	struct inside *inside = ctx;
	char name[WORD_LEN];

	if (!has_number_inside(pid, inside->number) || inside->cnt++ >= NAMED_MAX ||
	    !read_status(pid, "Name:", name, sizeof(name)))
		return 0;
	inside->length += snprintf(
		inside->words + inside->length, WORDS_LEN - inside->length, "%s%s (pid %d)",
		inside->cnt > 1 ? ", " : ": inside a container it is the number of ", name, pid);
	return 0;
}

/* ": inside a container it is the number of postgres (pid 8123)". Empty: of none. */
static void words_inside(pid_t number, char words[WORDS_LEN])
{
	struct inside inside = {.number = number, .words = words};

	words[0] = '\0';
	proc_visit("/proc", name_inside, &inside);
	if (inside.cnt > NAMED_MAX)
		snprintf(words + inside.length, WORDS_LEN - inside.length, " and %zu more",
			 inside.cnt - NAMED_MAX);
}

static void targets_refuse(pid_t pid, const char *what, const char *remedy)
{
	char inside[WORDS_LEN];

	words_inside(pid, inside);
	log_error("--pid: '%d': %s%s: %s", pid, what, inside,
		  inside[0] ? "use the number that it has here" : remedy);
}

/* A kernel thread has no memory of its own, like a zombie, which has lost it. */
static void refuse_without_memory(pid_t pid)
{
	char state[WORD_LEN] = "", name[WORD_LEN] = "?", what[3 * WORD_LEN];

	read_status(pid, "State:", state, sizeof(state));
	read_status(pid, "Name:", name, sizeof(name));
	if (state[0] == 'Z')
		snprintf(what, sizeof(what), "%s has exited and waits for its parent (a zombie)",
			 name);
	else
		snprintf(what, sizeof(what), "%s is a kernel thread, which makes no syscalls",
			 name);
	targets_refuse(pid, what, "name a running process, see ps -e");
}

/* Whether `pid` is a process with a user-space part, other than this one. 0 or -ESRCH (logged). */
static int pid_check(pid_t pid)
{
	unsigned int process = 0;
	char word[WORD_LEN];

	if (read_status(pid, "Tgid:", word, sizeof(word)))
		process = strtoul(word, NULL, 10);
	if (!process)
		targets_refuse(pid, "there is no such process", "see ps -e");
	else if (process != (unsigned int)pid)
		log_error("--pid: '%d': this is a thread of process %u: use --pid %u", pid, process,
			  process);
	else if (pid == getpid())
		log_error("--pid: '%d': this is ipctrace itself, which is not traced: name another",
			  pid);
	else if (!read_status(pid, "VmSize:", word, sizeof(word)))
		refuse_without_memory(pid);
	else
		return 0;
	return -ESRCH;
}

/* The sockets to look for. One name can have thousands: the connections of a server. */
struct inodes {
	void *tree; /* of tsearch(); the keys are the inodes themselves */
	int err;    /* -ENOMEM: some are missing */
};

void targets_free(struct targets *targets)
{
	for (size_t i = 0; i < targets->fd_cnt; i++) {
		if (targets->fd[i] >= 0)
			close(targets->fd[i]);
	}
	free(targets->fd);
	free(targets->pid);
	free(targets->follows);
	*targets = (struct targets){0};
}

/* `cnt`: it is none. */
static size_t index_of(const struct targets *targets, pid_t pid)
{
	size_t i = 0;

	while (i < targets->cnt && targets->pid[i] != pid)
		i++;
	return i;
}

bool targets_has(const struct targets *targets, pid_t pid)
{
	return index_of(targets, pid) < targets->cnt;
}

bool targets_follows(const struct targets *targets, pid_t pid)
{
	size_t i = index_of(targets, pid);

	return i < targets->cnt && targets->follows[i];
}

int targets_add(struct targets *targets, pid_t pid)
{
	bool *follows;
	pid_t *pids;

	if (targets_has(targets, pid))
		return 0;
	pids = reallocarray(targets->pid, targets->cnt + 1, sizeof(*pids));
	if (!pids)
		return -ENOMEM;
	targets->pid = pids;
	follows = reallocarray(targets->follows, targets->cnt + 1, sizeof(*follows));
	if (!follows)
		return -ENOMEM;
	targets->follows = follows;
	follows[targets->cnt] = false;
	pids[targets->cnt++] = pid;
	return 0;
}

int targets_add_followed(struct targets *targets, pid_t pid)
{
	int err = targets_add(targets, pid);

	if (!err)
		targets->follows[index_of(targets, pid)] = true;
	return err;
}

static bool read_comm(pid_t pid, char comm[RECORD_COMM_LEN])
{
	char path[64];
	FILE *file;
	bool got;

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	got = fgets(comm, RECORD_COMM_LEN, file);
	fclose(file);
	if (got)
		comm[strcspn(comm, "\n")] = '\0';
	return got;
}

/* A choice has found this process, which may be a target already. */
static int found(struct targets *targets, pid_t pid)
{
	targets->found++;
	return targets_add(targets, pid);
}

/* Every process of the machine is a descendant of this one. */
#define INIT_PID 1

/* The user names this process itself and not what it has open. So its children are meant, too. */
static int add_named(struct targets *targets, pid_t pid)
{
	int err = found(targets, pid);

	return err || pid == INIT_PID ? err : targets_add_followed(targets, pid);
}

/* Processes except this one. */
struct search {
	struct targets *targets;
	const char *name;      /* of the processes */
	struct inodes *inodes; /* that they have open */
};

static int visit_comm(void *ctx, pid_t pid)
{
	const struct search *search = ctx;
	char comm[RECORD_COMM_LEN];

	if (pid == getpid() || !read_comm(pid, comm) || !process_has_name(pid, comm, search->name))
		return 0;
	return add_named(search->targets, pid);
}

static int compare_inodes(const void *a, const void *b)
{
	return ((uintptr_t)a > (uintptr_t)b) - ((uintptr_t)a < (uintptr_t)b);
}

/* A process with its descriptors. */
struct holder {
	const struct inodes *inodes;
	pid_t pid;
};

static int holds(void *ctx, pid_t fd)
{
	const struct holder *holder = ctx;
	char path[64], text[64];
	unsigned long inode;
	ssize_t length;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", holder->pid, fd);
	length = readlink(path, text, sizeof(text) - 1);
	if (length <= 0)
		return false;
	text[length] = '\0';
	return sscanf(text, "socket:[%lu]", &inode) == 1 &&
	       tfind((void *)inode, &holder->inodes->tree, compare_inodes);
}

static int visit_holder(void *ctx, pid_t pid)
{
	const struct search *search = ctx;
	struct holder holder = {search->inodes, pid};
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	if (pid == getpid() || proc_visit(path, holds, &holder) <= 0)
		return 0;
	return found(search->targets, pid);
}

static void note_inode(void *ctx, uint64_t inode)
{
	struct inodes *inodes = ctx;

	if (inode && !tsearch((void *)inode, &inodes->tree, compare_inodes))
		inodes->err = -ENOMEM;
}

/* Reads /proc/net/unix: "Num RefCount Protocol Flags Type St Inode Path". */
static void find_unix(const char *name, struct inodes *inodes)
{
	FILE *file = fopen("/proc/net/unix", "re");
	char line[512];

	while (file && fgets(line, sizeof(line), file)) {
		unsigned long inode;
		int path = 0;

		if (sscanf(line, "%*s %*s %*s %*s %*s %*s %lu %n", &inode, &path) != 1 || !path)
			continue;
		line[strcspn(line, "\n")] = '\0';
		if (!strcmp(line + path, name))
			note_inode(inodes, inode);
	}
	if (file)
		fclose(file);
}

/*
 * Reads /proc/net/tcp and the like: finds sockets with this local port. A server that forks for
 * each connection may leave the listening socket to its parent, so its connections are found, too.
 */
static void find_port(const char *table, unsigned int port, struct inodes *inodes)
{
	FILE *file = fopen(table, "re");
	char line[512];

	while (file && fgets(line, sizeof(line), file)) {
		unsigned int local;
		unsigned long inode;

		if (sscanf(line, "%*s %*[^:]:%x %*s %*s %*s %*s %*s %*s %*s %lu", &local, &inode) !=
		    2)
			continue;
		if (local == port)
			note_inode(inodes, inode);
	}
	if (file)
		fclose(file);
}

static void keep_inode(void *inode)
{
	(void)inode;
}

/* Frees the inodes. */
static int add_holders(struct targets *targets, struct inodes *inodes, const char *option,
		       const char *what, const char *remedy)
{
	size_t before = targets->found;
	bool is_there = inodes->tree;
	int err = inodes->err;

	if (!err && is_there)
		err = proc_visit("/proc", visit_holder,
				 &(struct search){.targets = targets, .inodes = inodes});
	tdestroy(inodes->tree, keep_inode);
	if (err || targets->found > before)
		return err;
	if (is_there && sight_missing())
		log_error("--%s: '%s': no process of this user has it open, and those of others "
			  "are not visible without %s: run it with sudo, or name the process by "
			  "--pid",
			  option, what, sight_missing());
	else
		log_error("--%s: '%s': %s: %s", option, what,
			  is_there ? "no visible process has it open" : "there is no such socket",
			  remedy);
	return -ESRCH;
}

static void say_no_name(const char *name)
{
	const char *number = strstr(name, " (pid ");
	int pid;

	if (number && sscanf(number, " (pid %d", &pid) == 1)
		log_error("--comm: '%s': no process has a matching name: for the process of this "
			  "number, use --pid %d",
			  name, pid);
	else if (strchr(name, '/'))
		log_error("--comm: '%s': no process executes this program or script: use its name "
			  "without the folders, see ps -eo comm",
			  name);
	else if (strchr(name, ' '))
		log_error("--comm: '%s': no process has a matching name: a name has no arguments "
			  "but a script, as in 'python3 worker.py': see ps -eo comm, or use "
			  "-p $(pgrep -f '%s')",
			  name, name);
	else
		log_error("--comm: '%s': no process has a matching name: see ps -eo comm", name);
}

static int add_comm(struct targets *targets, const char *comm)
{
	size_t before = targets->found;
	int err =
		proc_visit("/proc", visit_comm, &(struct search){.targets = targets, .name = comm});

	if (err || targets->found > before)
		return err;
	say_no_name(comm);
	return -ESRCH;
}

static int add_cgroup(struct targets *targets, const char *cgroup)
{
	char path[PATH_MAX];
	size_t before = targets->found, outside = 0;
	int err = 0, pid;
	bool was_used;
	FILE *file;

	snprintf(path, sizeof(path), "%s/cgroup.procs", cgroup);
	was_used = rights_lower();
	file = fopen(path, "re");
	rights_restore(was_used);
	if (!file) {
		err = -errno;
		log_error("--cgroup: '%s': %s: name a folder below /sys/fs/cgroup with a file "
			  "cgroup.procs",
			  cgroup, strerror(-err));
		return err;
	}
	/* The kernel shows 0 for a process without a number in this PID namespace. */
	while (!err && fscanf(file, "%d", &pid) == 1) {
		err = pid > 0 ? found(targets, pid) : 0;
		outside += !pid;
	}
	fclose(file);
	if (err || targets->found > before)
		return err;
	log_error("--cgroup: '%s': it has no processes%s: name another one", cgroup,
		  outside ? " in this PID namespace" : "");
	return -ESRCH;
}

/*
 * The name as the server bound it, or any other name of the same file. A kernel that cannot list
 * the files knows the first one only.
 */
static int add_unix(struct targets *targets, const char *name)
{
	struct inodes inodes = {0};

	if (name[0])
		find_unix(name, &inodes);
	if (name[0] && unix_file_sockets(name, note_inode, &inodes) == -ENOMEM)
		inodes.err = -ENOMEM;
	return add_holders(targets, &inodes, "unix", name, "see ipctrace list");
}

static int targets_add_port(struct targets *targets, uint16_t port)
{
	struct inodes inodes = {0};
	char text[16];

	find_port("/proc/net/tcp", port, &inodes);
	find_port("/proc/net/tcp6", port, &inodes);
	find_port("/proc/net/udp", port, &inodes);
	find_port("/proc/net/udp6", port, &inodes);
	snprintf(text, sizeof(text), "%u", port);
	return add_holders(targets, &inodes, "port", text, "see ipctrace list");
}

static int add_choice(struct targets *targets, const struct target_choice *choice)
{
	switch (choice->kind) {
	case TARGET_PID:
		return pid_check(choice->number) ?: add_named(targets, choice->number);
	case TARGET_COMM:
		return add_comm(targets, choice->name);
	case TARGET_CGROUP:
		return add_cgroup(targets, choice->name);
	case TARGET_UNIX:
		return add_unix(targets, choice->name);
	case TARGET_PORT:
		return targets_add_port(targets, choice->number);
	}
	return -EINVAL;
}

int targets_find(struct targets *targets, const struct attach_options *options)
{
	int err = 0;

	for (size_t i = 0; !err && i < options->targets.cnt; i++)
		err = add_choice(targets, &options->targets.at[i]);
	return err;
}

int targets_watch(struct targets *targets)
{
	int *fd = reallocarray(targets->fd, targets->cnt + 1, sizeof(*fd));

	if (!fd)
		return -ENOMEM;
	targets->fd = fd;
	for (; targets->fd_cnt < targets->cnt; targets->fd_cnt++)
		fd[targets->fd_cnt] = syscall(SYS_pidfd_open, targets->pid[targets->fd_cnt], 0);
	return 0;
}

size_t targets_running(const struct targets *targets)
{
	size_t cnt = 0;

	for (size_t i = 0; i < targets->fd_cnt; i++) {
		struct pollfd end = {.fd = targets->fd[i], .events = POLLIN};

		cnt += end.fd >= 0 && !poll(&end, 1, 0);
	}
	return cnt;
}

static int targets_count_thread(void *cnt, pid_t tid)
{
	(void)tid;
	++*(size_t *)cnt;
	return 0;
}

size_t targets_threads(const struct targets *targets)
{
	char path[64];
	size_t cnt = 0;

	for (size_t i = 0; i < targets->cnt; i++) {
		snprintf(path, sizeof(path), "/proc/%d/task", targets->pid[i]);
		proc_visit(path, targets_count_thread, &cnt);
	}
	return cnt;
}

void targets_text(const struct targets *targets, char *text, size_t size)
{
	char comm[RECORD_COMM_LEN] = "?", script[SCRIPT_LEN], name[SCRIPT_LEN] = "";
	int length;

	if (!targets->cnt) {
		snprintf(text, size, "no process");
		return;
	}
	read_comm(targets->pid[0], comm);
	if (script_of_process(targets->pid[0], script))
		script_shorten(script, name, sizeof(name));
	length = snprintf(text, size, "%s%s%s (pid %d)", comm, name[0] ? " " : "", name,
			  targets->pid[0]);
	if (targets->cnt > 1)
		snprintf(text + length, size - length, " and %zu more process%s", targets->cnt - 1,
			 targets->cnt == 2 ? "" : "es");
}
