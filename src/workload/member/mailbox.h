/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A mailbox: a unix datagram socket that is bound to a name in the run's private directory. The
 * processes of a workload use it for everything but the measured messages.
 */
#ifndef IPCTRACE_WORKLOAD_MEMBER_MAILBOX_H
#define IPCTRACE_WORKLOAD_MEMBER_MAILBOX_H

#include <stddef.h>
#include <sys/types.h>
#include <sys/un.h>

struct mailbox {
	int fd;
	struct sockaddr_un address; /* address of the mailbox, on both sides */
};

/* The receiving side. `name` is a plain file name. 0 or -errno. */
int mailbox_make(struct mailbox *box, const char *directory, const char *name);

/* The sending side. The mailbox may not exist yet. 0 or -errno. */
int mailbox_open(struct mailbox *box, const char *directory, const char *name);

/* Does not wait: -EAGAIN if the mailbox is full. 0 or -errno. */
int mailbox_send(const struct mailbox *box, const void *data, size_t size);

/* Waits for one message. Bytes or -errno. */
ssize_t mailbox_receive(const struct mailbox *box, void *data, size_t size);

/* Closes a side. mailbox_remove() also removes the name, for the side that made it. */
void mailbox_remove(struct mailbox *box);
void mailbox_close(struct mailbox *box);

#endif
