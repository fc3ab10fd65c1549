/* SPDX-License-Identifier: BSD-2-Clause */
/* Unix datagram sockets between the processes of a workload. */
#include "workload/member/mailbox.h"

#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

static int address_set(struct sockaddr_un *address, const char *directory, const char *name)
{
	int length;

	*address = (struct sockaddr_un){.sun_family = AF_UNIX};
	length = snprintf(address->sun_path, sizeof(address->sun_path), "%s/%s", directory, name);
	return (size_t)length < sizeof(address->sun_path) ? 0 : -ENAMETOOLONG;
}

int mailbox_open(struct mailbox *box, const char *directory, const char *name)
{
	int err = address_set(&box->address, directory, name);

	if (err)
		return err;
	box->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	return box->fd < 0 ? -errno : 0;
}

int mailbox_make(struct mailbox *box, const char *directory, const char *name)
{
	int err = mailbox_open(box, directory, name);

	if (err)
		return err;
	if (bind(box->fd, (const struct sockaddr *)&box->address, sizeof(box->address))) {
		err = -errno;
		close(box->fd);
	}
	return err;
}

int mailbox_send(const struct mailbox *box, const void *data, size_t size)
{
	ssize_t sent = sendto(box->fd, data, size, MSG_DONTWAIT | MSG_NOSIGNAL,
			      (const struct sockaddr *)&box->address, sizeof(box->address));

	return sent < 0 ? -errno : 0;
}

ssize_t mailbox_receive(const struct mailbox *box, void *data, size_t size)
{
	ssize_t received = recv(box->fd, data, size, 0);

	return received < 0 ? -errno : received;
}

void mailbox_remove(struct mailbox *box)
{
	unlink(box->address.sun_path);
	close(box->fd);
}

void mailbox_close(struct mailbox *box)
{
	close(box->fd);
}
