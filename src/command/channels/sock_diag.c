/* SPDX-License-Identifier: BSD-2-Clause */
/* Asks the kernel over netlink for a list of sockets, and passes each socket to a callback. */
#include "command/channels/sock_diag.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/uio.h>

#define BUFFER_SIZE (64 * 1024)

struct dump {
	sock_diag_fn fn;
	void *ctx;
	bool done;
};

static int sock_diag_send_request(int diag, const void *request, size_t size)
{
	struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
	struct nlmsghdr head = {
		.nlmsg_len = NLMSG_LENGTH(size),
		.nlmsg_type = SOCK_DIAG_BY_FAMILY,
		.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
	};
	struct iovec part[] = {{&head, sizeof(head)}, {(void *)request, size}};
	struct msghdr message = {
		.msg_name = &kernel,
		.msg_namelen = sizeof(kernel),
		.msg_iov = part,
		.msg_iovlen = 2,
	};

	return sendmsg(diag, &message, 0) < 0 ? -errno : 0;
}

/* The message that ends a dump has an int as well: 0 or -errno. */
static int error_of(const struct nlmsghdr *head)
{
	return head->nlmsg_len < NLMSG_LENGTH(sizeof(int)) ? -EPROTO
							   : *(const int *)NLMSG_DATA(head);
}

static int sock_diag_take(struct dump *dump, const struct nlmsghdr *head)
{
	switch (head->nlmsg_type) {
	case NLMSG_ERROR:
	case NLMSG_DONE:
		dump->done = true;
		return error_of(head);
	case SOCK_DIAG_BY_FAMILY:
		return dump->fn(dump->ctx, NLMSG_DATA(head), NLMSG_PAYLOAD(head, 0));
	default:
		return 0;
	}
}

static int take_all(struct dump *dump, const struct nlmsghdr *head, ssize_t size)
{
	int err = 0;

	for (; !err && !dump->done && NLMSG_OK(head, size); head = NLMSG_NEXT(head, size))
		err = sock_diag_take(dump, head);
	return err;
}

int sock_diag_dump(int diag, const void *request, size_t size, sock_diag_fn fn, void *ctx)
{
	static _Alignas(struct nlmsghdr) char buffer[BUFFER_SIZE];
	struct dump dump = {.fn = fn, .ctx = ctx};
	int err = sock_diag_send_request(diag, request, size);

	while (!err && !dump.done) {
		ssize_t length = recv(diag, buffer, sizeof(buffer), 0);

		if (length > 0)
			err = take_all(&dump, (const struct nlmsghdr *)buffer, length);
		else if (!length || errno != EINTR)
			err = length ? -errno : -EPROTO;
	}
	return err;
}
