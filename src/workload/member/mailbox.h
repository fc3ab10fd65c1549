/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A mailbox: a unix datagram socket bound to a name in the run's private directory, for what the
 * processes of a workload have to tell each other besides the messages that are measured.
 */
#ifndef IPCTRACE_WORKLOAD_MEMBER_MAILBOX_H
#define IPCTRACE_WORKLOAD_MEMBER_MAILBOX_H

#include <stddef.h>
#include <sys/types.h>
#include <sys/un.h>

struct mailbox {
	int fd;
	struct sockaddr_un address; /* the box's own, whichever side this is */
};

/* The side that takes. `name` is a plain file name. 0 or -errno. */
int mailbox_make(struct mailbox *box, const char *directory, const char *name);

/* The side that puts, into a box that is or will be there. 0 or -errno. */
int mailbox_open(struct mailbox *box, const char *directory, const char *name);

/* Does not wait: -EAGAIN if the box is full. 0 or -errno. */
int mailbox_send(const struct mailbox *box, const void *data, size_t size);

/* Waits for one letter. Bytes or -errno. */
ssize_t mailbox_receive(const struct mailbox *box, void *data, size_t size);

/* Either side. A box that was made is also removed from the directory. */
void mailbox_remove(struct mailbox *box);
void mailbox_close(struct mailbox *box);

#endif
