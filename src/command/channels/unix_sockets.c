/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds the unix sockets of one network namespace to the list of channels. */
#include "command/channels/sock_diag.h"
#include "command/channels/sources.h"

#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>

struct reading {
	uint64_t network;
	struct channel_list *list;
};

static bool unix_sockets_transport_of(int type, enum transport_id *transport)
{
	switch (type) {
	case SOCK_DGRAM:
		*transport = TRANSPORT_UDS;
		return true;
	case SOCK_STREAM:
		*transport = TRANSPORT_UDS_STREAM;
		return true;
	case SOCK_SEQPACKET:
		*transport = TRANSPORT_UDS_SEQPACKET;
		return true;
	default:
		return false;
	}
}

/* Unix sockets use the numbers of TCP states. */
static enum end_state unix_sockets_state_of(int state)
{
	switch (state) {
	case TCP_LISTEN:
		return END_LISTENING;
	case TCP_ESTABLISHED:
		return END_CONNECTED;
	default:
		return END_UNCONNECTED;
	}
}

/* A path comes with its NUL. An abstract name begins with a byte 0. */
static void take_name(struct end *end, char *name, size_t length)
{
	end->name = name;
	end->name_len = length && name[0] ? strnlen(name, length) : length;
}

static uint32_t number_in(const struct rtattr *attribute)
{
	uint32_t number = 0;

	if (RTA_PAYLOAD(attribute) >= sizeof(number))
		memcpy(&number, RTA_DATA(attribute), sizeof(number));
	return number;
}

static void unix_sockets_take_file(struct end *end, const struct rtattr *attribute)
{
	struct unix_diag_vfs file;

	if (RTA_PAYLOAD(attribute) < sizeof(file))
		return;
	memcpy(&file, RTA_DATA(attribute), sizeof(file));
	end->has_file = true;
	end->file_device = file.udiag_vfs_dev;
	end->file_inode = file.udiag_vfs_ino;
}

static void take_attribute(struct end *end, const struct rtattr *attribute)
{
	switch (attribute->rta_type) {
	case UNIX_DIAG_NAME:
		take_name(end, RTA_DATA(attribute), RTA_PAYLOAD(attribute));
		break;
	case UNIX_DIAG_PEER:
		end->has_peer = true;
		end->peer = number_in(attribute);
		break;
	case UNIX_DIAG_VFS:
		unix_sockets_take_file(end, attribute);
		break;
	case UNIX_DIAG_RQLEN:
		if (end->state == END_LISTENING)
			end->waiting = number_in(attribute);
		break;
	case UNIX_DIAG_SHUTDOWN:
		end->half_closed = RTA_PAYLOAD(attribute) && *(uint8_t *)RTA_DATA(attribute);
		break;
	default:
		break;
	}
}

/* Adds the inodes of the clients in a listener's queue. */
static int take_waiting(struct channel_list *list, uint64_t listener,
			const struct rtattr *attribute)
{
	const uint32_t *client = RTA_DATA(attribute);
	int err = 0;

	for (size_t i = 0; !err && i < RTA_PAYLOAD(attribute) / sizeof(*client); i++)
		err = channel_list__add_waiting(list, listener, client[i]);
	return err;
}

static int unix_sockets_take_socket(void *ctx, const void *payload, size_t size)
{
	const struct reading *reading = ctx;
	const struct unix_diag_msg *socket = payload;
	struct end end = {.network = reading->network};
	int err = 0;

	if (size < sizeof(*socket) ||
	    !unix_sockets_transport_of(socket->udiag_type, &end.transport))
		return 0;
	end.state = unix_sockets_state_of(socket->udiag_state);
	end.inode = socket->udiag_ino;
	size -= sizeof(*socket);
	for (const struct rtattr *attribute = (const void *)(socket + 1);
	     !err && RTA_OK(attribute, size); attribute = RTA_NEXT(attribute, size)) {
		if (attribute->rta_type == UNIX_DIAG_ICONS)
			err = take_waiting(reading->list, end.inode, attribute);
		else
			take_attribute(&end, attribute);
	}
	return err ?: channel_list__add(reading->list, &end);
}

int unix_sockets_add(int diag, uint64_t network, enum wanted_sockets wanted,
		     struct channel_list *list)
{
	struct reading reading = {.network = network, .list = list};
	struct unix_diag_req request = {
		.sdiag_family = AF_UNIX,
		.udiag_states = wanted == SOCKETS_ALL ? ~0u : 1u << TCP_LISTEN | 1u << TCP_CLOSE,
		.udiag_show = UDIAG_SHOW_NAME | UDIAG_SHOW_VFS | UDIAG_SHOW_PEER |
			      UDIAG_SHOW_ICONS | UDIAG_SHOW_RQLEN,
	};

	return sock_diag_dump(diag, &request, sizeof(request), unix_sockets_take_socket, &reading);
}
