/* SPDX-License-Identifier: BSD-2-Clause */
/* Open files that go from one process to another. */
#pragma once

#include "log.h"

#include <sys/socket.h>

struct passing {
	struct head head;
	struct iovec part;
	char control[CMSG_SPACE(sizeof(int))];
	struct msghdr message;
};

static inline void passing_init(struct passing *passing)
{
	memset(passing, 0, sizeof(*passing));
	passing->part = (struct iovec){&passing->head, sizeof(passing->head)};
	passing->message = (struct msghdr){.msg_iov = &passing->part,
					   .msg_iovlen = 1,
					   .msg_control = passing->control,
					   .msg_controllen = sizeof(passing->control)};
}

/* Sends `fd`, which is closed here then. */
static inline void pass_on(int to, int fd)
{
	struct passing passing;
	struct cmsghdr *header;
	uint64_t enter_ns;

	passing_init(&passing);
	passing.head = log_next();
	header = CMSG_FIRSTHDR(&passing.message);
	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(header), &fd, sizeof(fd));
	enter_ns = now_ns();
	if (sendmsg(to, &passing.message, 0) != sizeof(passing.head))
		die("cannot pass a file");
	log_add(LOG_SEND, enter_ns, now_ns(), sizeof(passing.head), passing.head);
	close(fd);
}

/* < 0: none came. */
static inline int pass_take(int from)
{
	uint64_t enter_ns = now_ns();
	struct passing passing;
	int fd;

	passing_init(&passing);
	if (recvmsg(from, &passing.message, 0) != sizeof(passing.head))
		return -1;
	log_add(LOG_RECEIVE, enter_ns, now_ns(), sizeof(passing.head), passing.head);
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&passing.message)), sizeof(fd));
	return fd;
}
