/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies recordings that can be read only once. The copies last as long as the process. */
#include "recording/spool.h"

#include "util/file_place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* FILE and that of --against. */
#define COPIES_MAX 2

static struct {
	char *path;
	int fd;
} copies[COPIES_MAX];

/* The descriptor that the path names; -1: none. */
static int descriptor_of(const char *path)
{
	int descriptor, end = 0;

	if (!strcmp(path, "-") || !strcmp(path, "/dev/stdin"))
		return STDIN_FILENO;
	if (sscanf(path, "/dev/fd/%d%n", &descriptor, &end) == 1 && !path[end])
		return descriptor;
	if (sscanf(path, "/proc/self/fd/%d%n", &descriptor, &end) == 1 && !path[end])
		return descriptor;
	return -1;
}

/*
 * A socket cannot be opened by its path, and a file of another user perhaps not. A copy of an
 * inherited descriptor shares its offset.
 */
static int spool_open_path(const char *path, bool *is_shared)
{
	int descriptor = descriptor_of(path), fd = -1;

	if (strcmp(path, "-"))
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	*is_shared = fd < 0;
	return fd < 0 && descriptor >= 0 ? fcntl(descriptor, F_DUPFD_CLOEXEC, 0) : fd;
}

/* Another open file, with an offset of its own. */
static FILE *open_again(int fd)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return fopen(path, "re");
}

static bool write_all(int fd, const char *bytes, size_t size)
{
	ssize_t written = 0;

	for (; size && written >= 0; bytes += written, size -= written) {
		written = write(fd, bytes, size);
		if (written < 0 && errno == EINTR)
			written = 0;
	}
	return written >= 0;
}

/* Reads until the buffer is full or the end is reached. -1 and errno. */
static ssize_t read_much(int fd, char *bytes, size_t size)
{
	ssize_t got = 1;
	size_t total = 0;

	while (total < size && got) {
		got = read(fd, bytes + total, size - total);
		if (got < 0 && errno != EINTR)
			return -1;
		total += got > 0 ? got : 0;
	}
	return total;
}

/* 0 or -errno. `remedy` is set if the copy failed, not the reading. */
static int spool_copy(int from, int to, const char **remedy)
{
	static char bytes[64 << 10];
	bool is_first = true;
	ssize_t size;

	while ((size = read_much(from, bytes, sizeof(bytes))) > 0) {
		if (!write_all(to, bytes, size)) {
			*remedy = "it is copied first: make room, or name another folder in TMPDIR";
			return -errno;
		}
		/* What is no recording may have no end. Its beginning is refused later. */
		if (is_first && (size < RECORDING_MAGIC_LEN ||
				 memcmp(bytes, RECORDING_MAGIC, RECORDING_MAGIC_LEN)))
			return 0;
		is_first = false;
	}
	return size < 0 ? -errno : 0;
}

/* Returns the descriptor of the copy, or -errno. */
static int make_copy(const char *path, int from, const char **remedy)
{
	int i = 0, to, err;

	while (i < COPIES_MAX && copies[i].path)
		i++;
	if (i == COPIES_MAX)
		return -EMFILE;
	to = temporary_file_open(temporary_file_folder());
	if (to < 0) {
		*remedy = "it is copied first: name another folder in TMPDIR";
		return -errno;
	}
	err = spool_copy(from, to, remedy);
	if (!err)
		copies[i].path = strdup(path);
	if (!err && !copies[i].path)
		err = -ENOMEM;
	if (err)
		close(to);
	else
		copies[i].fd = to;
	return err ? err : to;
}

static int find_copy(const char *path)
{
	for (int i = 0; i < COPIES_MAX; i++) {
		if (copies[i].path && !strcmp(copies[i].path, path))
			return copies[i].fd;
	}
	return -1;
}

/* Whether it can be read again, by offsets. A directory is refused when it is read. */
static bool is_lasting(int fd)
{
	struct stat file;

	return !fstat(fd, &file) &&
	       (S_ISREG(file.st_mode) || S_ISBLK(file.st_mode) || S_ISDIR(file.st_mode));
}

/* 0 or -errno. `*file` takes over `fd`, or reads another open file, and `fd` is closed. */
static int open_lasting(int fd, bool is_shared, FILE **file)
{
	*file = is_shared ? open_again(fd) : fdopen(fd, "r");
	if (!*file)
		return -errno;
	if (is_shared)
		close(fd);
	return 0;
}

/* The same for what is read once. */
static int open_passing(const char *path, int fd, FILE **file, const char **remedy)
{
	int copied = make_copy(path, fd, remedy);

	if (copied < 0)
		return copied;
	*file = open_again(copied);
	if (!*file)
		return -errno;
	close(fd);
	return 0;
}

static int open_any(const char *path, int fd, bool is_shared, FILE **file, const char **remedy)
{
	int err;

	if (!is_lasting(fd))
		return open_passing(path, fd, file, remedy);
	err = open_lasting(fd, is_shared, file);
	/* What is inherited may be a file that this user may not open. */
	if (err && is_shared && !lseek(fd, 0, SEEK_SET))
		return open_passing(path, fd, file, remedy);
	return err;
}

FILE *spool_open(const char *path, const char **remedy)
{
	int copied = find_copy(path), fd, err;
	FILE *file = NULL;
	bool is_shared;

	*remedy = "name a readable file that --record has made";
	if (copied >= 0)
		return open_again(copied);
	fd = spool_open_path(path, &is_shared);
	if (fd < 0)
		return NULL;
	err = open_any(path, fd, is_shared, &file, remedy);
	if (err)
		close(fd);
	errno = -err;
	return file;
}
