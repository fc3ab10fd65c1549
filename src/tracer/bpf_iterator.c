/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs BPF programs of the type iterator: each time the kernel visits all of its objects. */
#include "tracer/bpf_iterator.h"

#include "util/log.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Reads to the end, where the last visit is over; what has no room is left out. */
static ssize_t read_output(int fd, char *output, size_t room)
{
	char rest[512];
	size_t cnt = 0;
	ssize_t got;

	do {
		got = cnt < room ? read(fd, output + cnt, room - cnt)
				 : read(fd, rest, sizeof(rest));
		if (got > 0 && cnt < room)
			cnt += (size_t)got;
	} while (got > 0 || (got < 0 && errno == EINTR));
	return got < 0 ? -errno : (ssize_t)cnt;
}

ssize_t bpf_iterator_read(const struct bpf_program *program, void *output, size_t room)
{
	struct bpf_link *link = bpf_program__attach_iter(program, NULL);
	int fd = link ? bpf_iter_create(bpf_link__fd(link)) : -1;
	ssize_t got = fd < 0 ? -errno : read_output(fd, output, room);

	if (got < 0)
		log_error("cannot survey all processes: %s: %s", bpf_program__name(program),
			  strerror((int)-got));
	if (fd >= 0)
		close(fd);
	bpf_link__destroy(link);
	return got;
}

int bpf_iterator_run(const struct bpf_program *program)
{
	ssize_t got = bpf_iterator_read(program, NULL, 0);

	return got < 0 ? (int)got : 0;
}
