/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads system limits, raises the number of file descriptors that this process may open, and waits
 * for a word in shared memory. Makes and removes notes.
 */
#include "transport/common.h"

#include "util/clock.h"
#include "util/read_file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* Descriptors of a process besides those of links. */
#define DESCRIPTORS_OTHER 256

#define NAP_NS            100000

int fd_or_error(int fd, int err)
{
	if (!err)
		return fd;
	close(fd);
	return err;
}

long limit_read(const char *file, long fallback)
{
	long long limit;

	return read_number("", file, &limit) ? (long)limit : fallback;
}

void limit_descriptors(uint64_t count)
{
	rlim_t wanted = count + DESCRIPTORS_OTHER;
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= wanted)
		return;
	limit.rlim_cur = wanted < limit.rlim_max ? wanted : limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

void rendezvous_nap(void)
{
	const struct timespec nap = {.tv_nsec = NAP_NS};

	clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, NULL);
}

uint32_t rendezvous_await(const _Atomic uint32_t *word, uint32_t limit_ms)
{
	int64_t until_ms = clock_now_ms() + limit_ms;

	while (!atomic_load(word) && clock_now_ms() < until_ms)
		rendezvous_nap();
	return atomic_load(word);
}

int unix_address_set(struct sockaddr_un *address, const char *format, ...)
{
	va_list args;
	int length;

	*address = (struct sockaddr_un){.sun_family = AF_UNIX};
	va_start(args, format);
	length = vsnprintf(address->sun_path, sizeof(address->sun_path), format, args);
	va_end(args);
	return (size_t)length < sizeof(address->sun_path) ? 0 : -ENAMETOOLONG;
}

int epoll_of(int fd, uint32_t events)
{
	struct epoll_event event = {.events = events};
	int epoll = epoll_create1(EPOLL_CLOEXEC);

	if (epoll < 0)
		return -errno;
	return fd_or_error(epoll, epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) ? -errno : 0);
}

int readable_await(int epoll, int fd)
{
	struct pollfd poller = {.fd = fd, .events = POLLIN};
	struct epoll_event event;
	int ready = epoll < 0 ? poll(&poller, 1, -1) : epoll_wait(epoll, &event, 1, -1);

	return ready < 0 ? -errno : 0;
}

int note_directory_open(const char *path)
{
	int fd = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int note_make(int directory, const char *note)
{
	int fd = openat(directory, note, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

void note_remove(int directory, const char *note)
{
	unlinkat(directory, note, 0);
}
