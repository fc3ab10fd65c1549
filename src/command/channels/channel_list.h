/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines the list of channels that `ipctrace list` shows. An end is a socket, or one side of a
 * pipe or queue. A connection joins two ends. Two connected sockets have one connection for both
 * directions.
 *
 * The list itself reads nothing from the kernel. The list is used in these steps:
 *
 *	add ends      sockets.c, gathering.c
 *	pair ends     pairing.c
 *	add owners    channel_list__set_owners()
 *	filter        channel_list__filter()
 *	show          list_text.c, list_json.c
 */
#pragma once

#include "command/channels/owners.h"
#include "model/transport_names.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uthash.h>

/* Further ends are counted in `refused`. */
#define LIST_ENDS_MAX (1u << 19)

enum end_state {
	END_UNCONNECTED, /* a datagram socket open to all senders, or an unused socket */
	END_LISTENING,
	END_CONNECTING,
	END_CONNECTED,
	END_UNACCEPTED, /* a TCP server's end before accept() has returned it */
};

/* IPv4 is ::ffff:a.b.c.d; the port is in host order. Without padding, because it is a hash key. */
struct address {
	uint8_t ip[16];
	uint16_t port; /* 0: none */
};

bool address_is_v4(const struct address *address);

struct end {
	enum transport_id transport;
	enum end_state state;
	uint64_t inode;   /* 0: closed by its owner, or not accepted yet */
	uint64_t network; /* the network namespace of a socket, by inode; 0: none */

	/*
	 * unix: as bound; an abstract name begins with a byte 0. FIFO, queue: a path. NULL: none.
	 */
	char *name;
	size_t name_len;
	char *path; /* unix: where the file is now; NULL: `name` says it, or it is not known */
	bool has_file;
	uint32_t file_device, file_inode; /* unix: as the kernel numbers them */

	bool has_peer;
	uint64_t peer; /* unix: the peer's inode; 0: closed, or not accepted yet */
	struct {
		struct address local, remote;
	} inet;
	bool half_closed;
	uint32_t waiting; /* connections that a listener has not accepted yet */
	struct holding holding;

	/* Set by pairing. */
	bool paired;
	bool elsewhere;    /* its peer is on another machine, or out of reach */
	bool idle;         /* not connected, and without a name to connect to */
	struct end *same;  /* the next end with the same key */
	UT_hash_handle hh; /* by inode (unix), by both addresses or by the local port (inet) */
};

enum connection_state {
	CONNECTION_OPEN,
	CONNECTION_HALF_CLOSED,  /* one direction is shut down */
	CONNECTION_NOT_ACCEPTED, /* waits in the listener's queue */
	CONNECTION_PEER_GONE,    /* only one end is closed */
	NR_CONNECTION_STATES
};

const char *connection_state_name(enum connection_state state);

/* The list owns both ends. At most one is NULL. */
struct connection {
	enum transport_id transport;
	enum connection_state state;
	const struct end *from; /* the end that connected, or writes; NULL: gone */
	const struct end *to;   /* the end that was connected to, or reads; NULL: gone */
	uint32_t others;        /* more sockets that can be `to` (SO_REUSEPORT) */
};

/* A client in the queue of a unix listener, by inodes. */
struct waiting {
	uint64_t client;
	uint64_t listener;
	UT_hash_handle hh;
};

struct channel_list {
	struct end **end;
	size_t end_cnt, end_room;
	const struct end **service; /* ends that accept connections or datagrams */
	size_t service_cnt, service_room;
	struct connection *connection;
	size_t connection_cnt, connection_room;
	uint64_t own_network;
	uint64_t refused;        /* ends beyond LIST_ENDS_MAX */
	uint64_t elsewhere;      /* ends with a peer on another machine, or out of reach */
	uint64_t idle;           /* ends without a peer or a name */
	struct waiting *waiting; /* hash by client */
};

/* NULL: out of memory. */
struct channel_list *channel_list__new(uint64_t own_network);
void channel_list__free(struct channel_list *list);

/* Copies the end and its name. 0 or -ENOMEM. */
int channel_list__add(struct channel_list *list, const struct end *end);

/* Adds a struct waiting. 0 or -ENOMEM. */
int channel_list__add_waiting(struct channel_list *list, uint64_t listener, uint64_t client);

/* Adds two ends that are known to be connected; at most one is NULL. Copies them. 0 or -ENOMEM. */
int channel_list__add_pair(struct channel_list *list, const struct end *from, const struct end *to);

/* For pairing.c: a zeroed end, owned by the list. NULL: out of memory. */
struct end *channel_list__new_end(struct channel_list *list);

/* For pairing.c: 0 or -ENOMEM. */
int channel_list__add_service(struct channel_list *list, const struct end *end);
int channel_list__add_connection(struct channel_list *list, const struct connection *connection);

/* Finds services and connections among all ends. Call it once. 0 or -ENOMEM. */
int channel_list__pair(struct channel_list *list);

/* Sets the holders of the sockets. */
void channel_list__set_owners(struct channel_list *list, const struct owners *owners);

/*
 * Keeps what has a transport of the set (bits of enum transport_id; 0: all) and, if `wanted`, an
 * end with a wanted holder. Counts `elsewhere` and `idle` among these, and sorts.
 */
void channel_list__filter(struct channel_list *list, unsigned int transports, bool wanted);
