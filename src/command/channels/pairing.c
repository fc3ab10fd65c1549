/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the two ends of each connection.
 *
 * - The kernel reports the inode of a unix socket's peer.
 * - Two TCP sockets match if the local address of each socket is the remote address of the other
 *   socket. Matching sockets in the same network namespace are connected.
 * - Matching sockets in different network namespaces are connected if no third socket has the same
 *   two addresses. In addition, the two IP addresses must differ and must not be loopback
 *   addresses.
 * - Connected UDP sockets match in the same way. A UDP socket without a match is paired with the
 *   socket that has bound the remote address.
 */
#include "command/channels/channel_list.h"

#include <errno.h>
#include <string.h>

enum protocol { PROTOCOL_TCP, PROTOCOL_UDP, NR_PROTOCOLS };

struct pairing {
	struct channel_list *list;
	struct end *unix_socket;             /* hash, by inode */
	struct end *connected[NR_PROTOCOLS]; /* hash, by local and remote address */
	struct end *bound[NR_PROTOCOLS];     /* hash, by local port */
};

static bool is_udp(const struct end *end)
{
	return end->transport == TRANSPORT_UDP || end->transport == TRANSPORT_UDP6;
}

static enum protocol protocol_of(const struct end *end)
{
	return is_udp(end) ? PROTOCOL_UDP : PROTOCOL_TCP;
}

/* A socket that moves while the kernel lists it can be listed twice. */
static void index_unix(struct pairing *pairing, struct end *end)
{
	struct end *known;

	HASH_FIND(hh, pairing->unix_socket, &end->inode, sizeof(end->inode), known);
	if (known)
		end->paired = true;
	else
		HASH_ADD(hh, pairing->unix_socket, inode, sizeof(end->inode), end);
}

/* Ends with the same key make a list. `key` is a part of the end. */
static void index_key(struct end **hash, const void *key, size_t size, struct end *end)
{
	struct end *first;

	HASH_FIND(hh, *hash, key, size, first);
	if (!first) {
		HASH_ADD_KEYPTR(hh, *hash, key, size, end);
		return;
	}
	end->same = first->same;
	first->same = end;
}

static void index_end(struct pairing *pairing, struct end *end)
{
	enum protocol protocol = protocol_of(end);
	const uint16_t *port = &end->inet.local.port;

	if (is_unix(end->transport))
		index_unix(pairing, end);
	else if (!is_inet(end->transport))
		return;
	else if (end->state == END_LISTENING || end->state == END_UNCONNECTED)
		index_key(&pairing->bound[protocol], port, sizeof(*port), end);
	else
		index_key(&pairing->connected[protocol], &end->inet, sizeof(end->inet), end);
}

static int connect_ends(struct pairing *pairing, enum connection_state state, struct end *from,
			struct end *to, uint32_t others)
{
	struct connection connection = {
		.transport = (from ?: to)->transport,
		.state = state,
		.from = from,
		.to = to,
		.others = others,
	};

	return channel_list__add_connection(pairing->list, &connection);
}

static enum connection_state pairing_state_of(const struct end *a, const struct end *b)
{
	return a->half_closed || b->half_closed ? CONNECTION_HALF_CLOSED : CONNECTION_OPEN;
}

static struct end *unix_socket_of(const struct pairing *pairing, uint64_t inode)
{
	struct end *end;

	HASH_FIND(hh, pairing->unix_socket, &inode, sizeof(inode), end);
	return end;
}

/*
 * Makes the end of a socket that the kernel has not listed: it is new, or in a namespace that this
 * process cannot enter.
 */
static struct end *new_unix_peer(struct pairing *pairing, const struct end *end)
{
	struct end *peer = channel_list__new_end(pairing->list);

	if (!peer)
		return NULL;
	peer->transport = end->transport;
	peer->state = END_CONNECTED;
	peer->inode = end->peer;
	peer->paired = true;
	return peer;
}

/*
 * The server's end has the listener's name. Without a name, the older socket counts as the server.
 */
static bool is_unix_server(const struct end *end, const struct end *peer)
{
	return !end->name == !peer->name ? end->inode > peer->inode : end->name != NULL;
}

/* A client without a peer is in a listener's queue, or its peer was closed. */
static int connect_unix_alone(struct pairing *pairing, struct end *end)
{
	struct waiting *waiting;
	struct end *listener;

	HASH_FIND(hh, pairing->list->waiting, &end->inode, sizeof(end->inode), waiting);
	listener = waiting ? unix_socket_of(pairing, waiting->listener) : NULL;
	if (listener)
		return connect_ends(pairing, CONNECTION_NOT_ACCEPTED, end, listener, 0);
	if (end->transport != TRANSPORT_UDS && end->name)
		return connect_ends(pairing, CONNECTION_PEER_GONE, NULL, end, 0);
	return connect_ends(pairing, CONNECTION_PEER_GONE, end, NULL, 0);
}

static int connect_unix(struct pairing *pairing, struct end *end)
{
	struct end *peer;
	bool mutual;

	if (!end->peer)
		return connect_unix_alone(pairing, end);
	peer = unix_socket_of(pairing, end->peer) ?: new_unix_peer(pairing, end);
	if (!peer)
		return -ENOMEM;
	mutual = peer->has_peer && peer->peer == end->inode;
	if (mutual)
		peer->paired = true;
	if ((mutual || end->transport != TRANSPORT_UDS) && is_unix_server(end, peer))
		return connect_ends(pairing, pairing_state_of(end, peer), peer, end, 0);
	return connect_ends(pairing, pairing_state_of(end, peer), end, peer, 0);
}

static int pair_unix(struct pairing *pairing, struct end *end)
{
	if (end->has_peer)
		return connect_unix(pairing, end);
	if (end->state == END_LISTENING || (end->transport == TRANSPORT_UDS && end->name))
		return channel_list__add_service(pairing->list, end);
	end->idle = true;
	return 0;
}

static bool is_loopback(const struct address *address)
{
	static const uint8_t v6[16] = {[15] = 1};

	return address_is_v4(address) ? address->ip[12] == 127
				      : !memcmp(address->ip, v6, sizeof(v6));
}

static bool pairing_is_any(const struct address *address)
{
	size_t from = address_is_v4(address) ? 12 : 0;

	for (size_t i = from; i < sizeof(address->ip); i++) {
		if (address->ip[i])
			return false;
	}
	return true;
}

/* Whether the other end is on this machine, even if it is closed. */
static bool is_local(const struct end *end)
{
	return is_loopback(&end->inet.remote) ||
	       !memcmp(end->inet.remote.ip, end->inet.local.ip, sizeof(end->inet.local.ip));
}

/* All ends with these two addresses, in any namespace. */
static struct end *ends_at(const struct pairing *pairing, enum protocol protocol,
			   const struct address *local, const struct address *remote)
{
	struct {
		struct address local, remote;
	} key = {*local, *remote};
	struct end *first;

	HASH_FIND(hh, pairing->connected[protocol], &key, sizeof(key), first);
	return first;
}

/*
 * The end with the same addresses in reverse. It can be in another namespace only if no third end
 * has either address, because containers can use the same addresses.
 */
static struct end *twin_of(const struct pairing *pairing, const struct end *end)
{
	const struct address *local = &end->inet.local, *remote = &end->inet.remote;
	enum protocol protocol = protocol_of(end);
	struct end *first = ends_at(pairing, protocol, remote, local);

	for (struct end *twin = first; twin; twin = twin->same) {
		if (twin->network == end->network)
			return twin;
	}
	if (!first || first->same || is_local(end))
		return NULL;
	return ends_at(pairing, protocol, local, remote)->same ? NULL : first;
}

/*
 * How exactly the bound address of a socket matches; 0: not at all. `here`: the address is one of
 * this machine's.
 */
static int fit_of(const struct end *bound, const struct address *address, bool here)
{
	const struct address *local = &bound->inet.local;

	if (!memcmp(local->ip, address->ip, sizeof(local->ip)))
		return 3;
	if (!here || !pairing_is_any(local))
		return 0;
	if (address_is_v4(local))
		return address_is_v4(address) ? 2 : 0;
	return 1;
}

/* The socket that has bound the address. `others`: how many match as well. NULL: none. */
static struct end *bound_to(const struct pairing *pairing, const struct end *end,
			    const struct address *address, bool here, uint32_t *others)
{
	struct end *first, *best = NULL;
	int best_fit = 0;

	*others = 0;
	HASH_FIND(hh, pairing->bound[protocol_of(end)], &address->port, sizeof(address->port),
		  first);
	for (struct end *bound = first; bound; bound = bound->same) {
		int fit = bound->network == end->network ? fit_of(bound, address, here) : 0;

		if (fit > best_fit) {
			best = bound;
			best_fit = fit;
			*others = 0;
		} else if (fit && fit == best_fit) {
			++*others;
		}
	}
	return best;
}

/*
 * The server's end has a port with a listener. Without one, the lower port is the server's, because
 * ports of clients are high.
 */
static bool is_inet_server(const struct pairing *pairing, const struct end *end,
			   const struct end *peer)
{
	uint32_t others;
	bool listens = bound_to(pairing, end, &end->inet.local, true, &others) != NULL;
	bool peer_listens = bound_to(pairing, peer, &peer->inet.local, true, &others) != NULL;

	return listens == peer_listens ? end->inet.local.port < peer->inet.local.port : listens;
}

/*
 * Connects an end without a twin to a listener or a bound socket of this machine, or counts it as
 * connected to another machine.
 */
static int connect_inet_alone(struct pairing *pairing, struct end *end)
{
	enum connection_state state = is_udp(end) ? CONNECTION_OPEN : CONNECTION_NOT_ACCEPTED;
	uint32_t others;
	struct end *bound = bound_to(pairing, end, &end->inet.remote, is_local(end), &others);

	if (!end->inode)
		return 0;
	if (bound && !(end->half_closed && !is_udp(end)))
		return connect_ends(pairing, state, end, bound, others);
	if (!is_local(end)) {
		end->elsewhere = true;
		return 0;
	}
	if (!is_udp(end) && bound_to(pairing, end, &end->inet.local, true, &others))
		return connect_ends(pairing, CONNECTION_PEER_GONE, NULL, end, 0);
	return connect_ends(pairing, CONNECTION_PEER_GONE, end, NULL, 0);
}

/* Only one of the two ends has an inode. */
static int connect_inet_half(struct pairing *pairing, struct end *end, struct end *gone)
{
	uint32_t others = 0;
	struct end *listener;

	if (gone->state == END_UNACCEPTED) {
		listener = bound_to(pairing, gone, &gone->inet.local, true, &others);
		return connect_ends(pairing, CONNECTION_NOT_ACCEPTED, end, listener ?: gone,
				    listener ? others : 0);
	}
	if (is_inet_server(pairing, end, gone))
		return connect_ends(pairing, CONNECTION_PEER_GONE, NULL, end, 0);
	return connect_ends(pairing, CONNECTION_PEER_GONE, end, NULL, 0);
}

static int connect_inet(struct pairing *pairing, struct end *end)
{
	struct end *twin = twin_of(pairing, end);

	if (!twin)
		return connect_inet_alone(pairing, end);
	twin->paired = true;
	if (!end->inode && !twin->inode)
		return 0;
	if (!end->inode || !twin->inode)
		return connect_inet_half(pairing, end->inode ? end : twin, end->inode ? twin : end);
	if (is_inet_server(pairing, end, twin))
		return connect_ends(pairing, pairing_state_of(end, twin), twin, end, 0);
	return connect_ends(pairing, pairing_state_of(end, twin), end, twin, 0);
}

static int pair_inet(struct pairing *pairing, struct end *end)
{
	if (end->state != END_LISTENING && end->state != END_UNCONNECTED)
		return connect_inet(pairing, end);
	if (end->inet.local.port)
		return channel_list__add_service(pairing->list, end);
	end->idle = true;
	return 0;
}

static void pairing_forget(struct pairing *pairing)
{
	HASH_CLEAR(hh, pairing->unix_socket);
	for (int i = 0; i < NR_PROTOCOLS; i++) {
		HASH_CLEAR(hh, pairing->connected[i]);
		HASH_CLEAR(hh, pairing->bound[i]);
	}
}

int channel_list__pair(struct channel_list *list)
{
	struct pairing pairing = {.list = list};
	size_t cnt = list->end_cnt; /* ends that pairing adds are paired already */
	int err = 0;

	for (size_t i = 0; i < cnt; i++)
		index_end(&pairing, list->end[i]);
	for (size_t i = 0; !err && i < cnt; i++) {
		struct end *end = list->end[i];

		if (end->paired)
			continue;
		end->paired = true;
		if (is_unix(end->transport))
			err = pair_unix(&pairing, end);
		else if (is_inet(end->transport))
			err = pair_inet(&pairing, end);
	}
	pairing_forget(&pairing);
	return err;
}
