/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the open files and network namespaces of all processes from /proc. */
#include "command/channels/proc.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/netlink.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#ifndef MQUEUE_MAGIC
#define MQUEUE_MAGIC 0x19800202 /* ipc/mqueue.c */
#endif

#define PF_KTHREAD   0x00200000 /* include/linux/sched.h */
#define FIRST_PID_NS 0xEFFFFFFC /* PROC_PID_INIT_INO in include/linux/proc_ns.h */

struct pass {
	struct owners *owners;
	struct networks *networks;
	struct proc_gaps *gaps;
	int proc; /* the folder /proc */
};

/* Reads a small file as text. Returns its length or -errno. */
static ssize_t proc_read_text(int folder, const char *path, char *text, size_t size)
{
	int file = openat(folder, path, O_RDONLY | O_CLOEXEC);
	ssize_t length;

	if (file < 0)
		return -errno;
	length = read(file, text, size - 1);
	if (length < 0)
		length = -errno;
	close(file);
	text[length > 0 ? length : 0] = '\0';
	return length;
}

/* The number in a link such as "socket:[123]". */
static bool proc_read_number(const char *link, const char *kind, uint64_t *number)
{
	size_t length = strlen(kind);
	char *end;

	if (strncmp(link, kind, length) || !isdigit((unsigned char)link[length]))
		return false;
	*number = strtoull(link + length, &end, 10);
	return *end == ']';
}

/* The mode of a link in /proc/PID/fd shows whether the descriptor reads and writes. */
static unsigned int sides_of(int folder, const char *fd)
{
	struct stat stat;

	if (fstatat(folder, fd, &stat, AT_SYMLINK_NOFOLLOW))
		return 0;
	return (stat.st_mode & S_IRUSR ? 1u << SIDE_READ : 0) |
	       (stat.st_mode & S_IWUSR ? 1u << SIDE_WRITE : 0);
}

/* A regular file "/name" with one component and on no real device can be a message queue. */
static bool is_mqueue(int folder, const char *fd, const char *link, const struct statx *status)
{
	char path[64];
	struct statfs file_system;

	if (!S_ISREG(status->stx_mode) || status->stx_dev_major || strchr(link + 1, '/'))
		return false;
	snprintf(path, sizeof(path), "/proc/self/fd/%d/%s", folder, fd);
	return !statfs(path, &file_system) && file_system.f_type == MQUEUE_MAGIC;
}

/* A file with a name. AT_STATX_DONT_SYNC avoids a request to a network file server. */
static bool object_of_file(int folder, const char *fd, const char *link, struct object *object)
{
	struct statx status;

	if (statx(folder, fd, AT_STATX_DONT_SYNC, STATX_TYPE | STATX_INO, &status))
		return false;
	if (S_ISFIFO(status.stx_mode))
		object->kind = OBJECT_FIFO;
	else if (is_mqueue(folder, fd, link, &status))
		object->kind = OBJECT_MQUEUE;
	else
		return false;
	object->dev = makedev(status.stx_dev_major, status.stx_dev_minor);
	object->inode = status.stx_ino;
	return true;
}

/* A descriptor that has vanished is ignored. -EACCES: the process's descriptors are not visible. */
static int add_descriptor(struct pass *pass, int folder, const char *fd)
{
	char link[PATH_MAX];
	struct object object = {0};
	ssize_t length = readlinkat(folder, fd, link, sizeof(link) - 1);

	if (length <= 0)
		return length && errno == EACCES ? -EACCES : 0;
	link[length] = '\0';
	if (proc_read_number(link, "socket:[", &object.inode)) {
		object.kind = OBJECT_SOCKET;
		return owners_add(pass->owners, &object, 1u << SIDE_READ, NULL);
	}
	if (proc_read_number(link, "pipe:[", &object.inode)) {
		object.kind = OBJECT_PIPE;
		return owners_add(pass->owners, &object, sides_of(folder, fd), NULL);
	}
	if (link[0] == '/' && object_of_file(folder, fd, link, &object))
		return owners_add(pass->owners, &object, sides_of(folder, fd), link);
	return 0;
}

static int add_descriptors(struct pass *pass, DIR *folder)
{
	const struct dirent *entry;
	int err = 0;

	while (!err && (entry = readdir(folder))) {
		if (isdigit((unsigned char)entry->d_name[0]))
			err = add_descriptor(pass, dirfd(folder), entry->d_name);
	}
	return err;
}

/*
 * Kernel threads and processes that have ended. Reads the state and the flags: the first and the
 * seventh word after the name, which can contain anything, brackets too.
 */
static bool has_no_descriptors(const struct pass *pass, uint32_t process)
{
	char path[64], text[1024], state;
	const char *end;
	unsigned int flags;

	snprintf(path, sizeof(path), "%u/stat", process);
	if (proc_read_text(pass->proc, path, text, sizeof(text)) <= 0)
		return false;
	end = strrchr(text, ')');
	return end && sscanf(end + 1, " %c %*d %*d %*d %*d %*d %u", &state, &flags) == 2 &&
	       (flags & PF_KTHREAD || state == 'Z' || state == 'X');
}

static void begin_process(struct pass *pass, uint32_t process)
{
	struct owner owner = {.pid = process};
	char path[64], text[OWNER_COMM_LEN + 1];
	ssize_t length;

	snprintf(path, sizeof(path), "%u/comm", process);
	length = proc_read_text(pass->proc, path, text, sizeof(text));
	if (length > 0 && text[length - 1] == '\n')
		text[length - 1] = '\0';
	if (length > 0)
		memcpy(owner.comm, text, sizeof(owner.comm) - 1);
	owners_begin(pass->owners, &owner);
}

/* The inode of a namespace that a link of /proc leads to. 0: not visible. */
static uint64_t namespace_of(const struct pass *pass, const char *path, const char *kind)
{
	char link[64];
	uint64_t inode;
	ssize_t length = readlinkat(pass->proc, path, link, sizeof(link) - 1);

	if (length <= 0)
		return 0;
	link[length] = '\0';
	return proc_read_number(link, kind, &inode) ? inode : 0;
}

static void add_network(struct pass *pass, uint32_t process)
{
	char path[64];
	uint64_t inode;

	snprintf(path, sizeof(path), "%u/ns/net", process);
	inode = namespace_of(pass, path, "net:[");
	if (inode)
		networks_add(pass->networks, inode, process);
}

/* The descriptors of some processes are not visible to users, but there are none. */
static void proc_note_hidden(struct pass *pass, uint32_t process, int error)
{
	if (error == ENOENT || error == ESRCH || has_no_descriptors(pass, process))
		return;
	pass->gaps->hidden++;
	if (owners_ask_for(pass->owners, process))
		pass->gaps->hid_pid = process;
}

static DIR *open_descriptors(const struct pass *pass, uint32_t process)
{
	char path[64];
	int file;
	DIR *folder;

	snprintf(path, sizeof(path), "%u/fd", process);
	file = openat(pass->proc, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (file < 0)
		return NULL;
	folder = fdopendir(file);
	if (!folder)
		close(file);
	return folder;
}

static int read_process(struct pass *pass, uint32_t process)
{
	DIR *folder = open_descriptors(pass, process);
	int err;

	if (!folder) {
		proc_note_hidden(pass, process, errno);
		return 0;
	}
	begin_process(pass, process);
	add_network(pass, process);
	err = add_descriptors(pass, folder);
	closedir(folder);
	if (err == -EACCES) {
		proc_note_hidden(pass, process, EACCES);
		err = 0;
	}
	return err;
}

/* Notes the namespaces of this process. */
static void proc_begin(struct pass *pass)
{
	networks_add(pass->networks, namespace_of(pass, "self/ns/net", "net:["), 0);
	pass->gaps->within_namespace = namespace_of(pass, "self/ns/pid", "pid:[") != FIRST_PID_NS;
}

int proc_read(const char *proc, const pid_t *pid, size_t cnt, struct owners *owners,
	      struct networks *networks, struct proc_gaps *gaps)
{
	struct pass pass = {.owners = owners, .networks = networks, .gaps = gaps};
	DIR *folder = opendir(proc);
	const struct dirent *entry;
	int err = 0;

	*gaps = (struct proc_gaps){0};
	if (!folder)
		return -errno;
	pass.proc = dirfd(folder);
	proc_begin(&pass);
	for (size_t i = 0; pid && !err && i < cnt; i++)
		err = read_process(&pass, pid[i]);
	while (!pid && !err && (entry = readdir(folder))) {
		if (isdigit((unsigned char)entry->d_name[0]))
			err = read_process(&pass, strtoul(entry->d_name, NULL, 10));
	}
	closedir(folder);
	return err;
}

/*
 * Opens netlink sockets in other network namespaces. The calling thread enters a namespace, opens
 * the socket, and returns to the original namespace.
 */

void networks_add(struct networks *networks, uint64_t inode, uint32_t pid)
{
	for (size_t i = 0; i < networks->cnt; i++) {
		if (networks->network[i].inode == inode)
			return;
	}
	if (networks->cnt < NETWORKS_MAX)
		networks->network[networks->cnt++] = (struct network){inode, pid};
	else
		networks->unreached++;
}

static int open_diag(void)
{
	int diag = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);

	return diag < 0 ? -errno : diag;
}

/* The pid can belong to another process by now. */
static int open_namespace(const struct network *network)
{
	char path[64];
	struct stat stat;
	int namespace;

	snprintf(path, sizeof(path), "/proc/%u/ns/net", network->pid);
	namespace = open(path, O_RDONLY | O_CLOEXEC);
	if (namespace < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	if (!fstat(namespace, &stat) && stat.st_ino == network->inode)
		return namespace;
	close(namespace);
	return -ESRCH;
}

static int open_diag_within(int namespace, int own)
{
	int diag;

	if (setns(namespace, CLONE_NEWNET))
		return -errno;
	diag = open_diag();
	if (!setns(own, CLONE_NEWNET))
		return diag;
	if (diag >= 0)
		close(diag);
	return -EPERM;
}

int network_open_diag(const struct networks *networks, size_t i)
{
	int own, namespace, diag;

	if (!i)
		return open_diag();
	namespace = open_namespace(&networks->network[i]);
	if (namespace < 0)
		return namespace;
	own = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	diag = own < 0 ? -errno : open_diag_within(namespace, own);
	if (own >= 0)
		close(own);
	close(namespace);
	return diag;
}
