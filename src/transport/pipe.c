/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements the transport "pipe". Each client makes two unnamed pipes, one for each direction,
 * and passes the server's ends to the server. No other process holds the pipes. The death of the
 * client or the server therefore breaks the pipes.
 */
#include "transport/fd_end.h"
#include "transport/common.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { SIDE_SERVER, SIDE_CLIENTS, NR_SIDES };

struct medium {
	struct medium_spec spec;
	int meeting[NR_SIDES]; /* two sockets over which clients pass pipes to the server */
};

/* The server's descriptors of one link. */
enum { PASS_IN, PASS_OUT, NR_PASSED };

union passed {
	char space[CMSG_SPACE(NR_PASSED * sizeof(int))];
	struct cmsghdr align;
};

static struct medium *pipe_create(const struct medium_spec *spec)
{
	struct medium *medium = malloc(sizeof(*medium));

	if (!medium)
		return NULL;
	medium->spec = *spec;
	if (!socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, medium->meeting))
		return medium;
	free(medium);
	return NULL;
}

static void pipe_destroy(struct medium *medium)
{
	if (!medium)
		return;
	close(medium->meeting[SIDE_SERVER]);
	close(medium->meeting[SIDE_CLIENTS]);
	free(medium);
}

static int pass(const struct medium *medium, uint32_t client, const int fds[NR_PASSED])
{
	struct iovec data = {.iov_base = &client, .iov_len = sizeof(client)};
	union passed passed = {0};
	struct msghdr message = {
		.msg_iov = &data,
		.msg_iovlen = 1,
		.msg_control = passed.space,
		.msg_controllen = sizeof(passed.space),
	};
	struct cmsghdr *head = CMSG_FIRSTHDR(&message);

	head->cmsg_level = SOL_SOCKET;
	head->cmsg_type = SCM_RIGHTS;
	head->cmsg_len = CMSG_LEN(NR_PASSED * sizeof(int));
	memcpy(CMSG_DATA(head), fds, NR_PASSED * sizeof(int));
	if (sendmsg(medium->meeting[SIDE_CLIENTS], &message, MSG_NOSIGNAL) < 0)
		return -errno;
	return 0;
}

/* Receives the server's ends of a link. Returns the client's number or -errno. */
static int pipe_take(const struct medium *medium, int fds[NR_PASSED])
{
	uint32_t client = 0;
	struct iovec data = {.iov_base = &client, .iov_len = sizeof(client)};
	union passed passed;
	struct msghdr message = {
		.msg_iov = &data,
		.msg_iovlen = 1,
		.msg_control = passed.space,
		.msg_controllen = sizeof(passed.space),
	};
	struct cmsghdr *head;

	if (recvmsg(medium->meeting[SIDE_SERVER], &message, MSG_CMSG_CLOEXEC) < 0)
		return -errno;
	head = CMSG_FIRSTHDR(&message);
	/* The kernel omits descriptors beyond this process's limit. */
	if (!head || message.msg_flags & MSG_CTRUNC)
		return -EMFILE;
	memcpy(fds, CMSG_DATA(head), NR_PASSED * sizeof(int));
	return (int)client;
}

static int link_make(struct end *end)
{
	int up[2], down[2];
	int err;

	if (pipe2(up, O_CLOEXEC))
		return -errno;
	if (pipe2(down, O_CLOEXEC)) {
		err = -errno;
		close(up[0]);
		close(up[1]);
		return err;
	}
	err = pass(end->medium, end->member,
		   (int[NR_PASSED]){[PASS_IN] = up[0], [PASS_OUT] = down[1]});
	close(up[0]);
	close(down[1]);
	if (!err)
		return fd_end_add_pipes(end, LINK_SERVER, down[0], up[1]);
	close(up[1]);
	close(down[0]);
	return err;
}

static struct end *pipe_open(struct medium *medium, uint32_t member)
{
	return fd_end_new(medium, &medium->spec, member, FD_END_PIPES,
			  member == LINK_SERVER ? NULL : link_make);
}

static int pipe_admit(struct end *server, uint32_t client)
{
	const struct medium *medium = server->medium;
	struct pollfd poller = {.fd = medium->meeting[SIDE_SERVER], .events = POLLIN};
	int ready = poll(&poller, 1, TRANSPORT_WAIT_MS);
	int fds[NR_PASSED];
	int came;

	if (ready <= 0)
		return ready ? -errno : -ETIMEDOUT;
	came = pipe_take(medium, fds);
	if (came < 0)
		return came;
	if ((uint32_t)came == client)
		return fd_end_add_pipes(server, client, fds[PASS_IN], fds[PASS_OUT]);
	close(fds[PASS_IN]);
	close(fds[PASS_OUT]);
	return -EPROTO;
}

const struct transport_ops pipe_transport = {
	.name = "pipe",
	.summary = "pipes, two for each client",
	.id = TRANSPORT_PIPE,
	.is_stream = true,
	.size_max = byte_stream_pipe_most,
	.create = pipe_create,
	.open = pipe_open,
	.admit = pipe_admit,
	.send = fd_end_send_stream,
	.receive = fd_end_receive,
	.close = fd_end_close,
	.destroy = pipe_destroy,
};
