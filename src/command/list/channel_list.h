/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ends of local channels, and which two belong together. Pure: filled by those who ask the
 * kernel (unix_sockets.c, inet_sockets.c, pipes.c), shown by list_text.c and list_json.c.
 *
 *	add ... pair, set_owners, filter, and then it can be read
 *
 * A connection is what has two ends: both directions between two sockets, or a pipe.
 */
#ifndef IPCTRACE_COMMAND_LIST_CHANNEL_LIST_H
#define IPCTRACE_COMMAND_LIST_CHANNEL_LIST_H

#include "command/list/owners.h"
#include "model/transport_names.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uthash.h>

/* Ends beyond this are counted in `refused`. */
#define LIST_ENDS_MAX (1u << 19)

enum end_state {
	END_UNCONNECTED, /* a datagram socket that anybody may send to, or one not in use yet */
	END_LISTENING,
	END_CONNECTING,
	END_CONNECTED,
	END_UNACCEPTED, /* a TCP server's end that accept() has not yet returned */
};

/* IPv4 is ::ffff:a.b.c.d, and a port is in the host's order. No padding: it is a key. */
struct address {
	uint8_t ip[16];
	uint16_t port; /* 0: none */
};

bool address_is_v4(const struct address *address);

struct end {
	enum transport_id transport;
	enum end_state state;
	uint64_t inode;   /* 0: closed by its owner, or not yet accepted */
	uint64_t network; /* the namespace of a socket, by its inode; 0: none */

	/* unix: as bound; the first byte of an abstract one is 0. FIFO, queue: a path. Or NULL. */
	char *name;
	size_t name_len;

	bool has_peer;
	uint64_t peer; /* unix: its inode; 0: closed, or not yet accepted */
	struct {
		struct address local, remote;
	} inet;
	bool half_closed;
	uint32_t waiting; /* a listener's connections that it has not yet accepted */
	struct holding holding;

	/* What the list found out. */
	bool paired;
	bool elsewhere;    /* its peer is not on this machine, or not within reach */
	bool idle;         /* neither connected, nor can anybody find it */
	struct end *same;  /* the next one with the same key */
	UT_hash_handle hh; /* by inode (unix), by both addresses or by the local port (inet) */
};

enum connection_state {
	CONNECTION_OPEN,
	CONNECTION_HALF_CLOSED,  /* one direction was shut down */
	CONNECTION_NOT_ACCEPTED, /* waits in the listener's queue */
	CONNECTION_PEER_GONE,    /* one end was closed, the other not yet */
	NR_CONNECTION_STATES
};

const char *connection_state_name(enum connection_state state);

/* Both ends are the list's. At most one is NULL. */
struct connection {
	enum transport_id transport;
	enum connection_state state;
	const struct end *from; /* has connected, or writes; NULL: gone */
	const struct end *to;   /* was connected to, or reads; NULL: gone */
	uint32_t others;        /* further sockets that `to` may as well be (SO_REUSEPORT) */
};

/* A client of a unix listener that has not accepted it yet; both by inode. */
struct waiting {
	uint64_t client;
	uint64_t listener;
	UT_hash_handle hh;
};

struct channel_list {
	struct end **end;
	size_t end_cnt, end_room;
	const struct end **service; /* who can be connected or sent to */
	size_t service_cnt, service_room;
	struct connection *connection;
	size_t connection_cnt, connection_room;
	uint64_t own_network;
	uint64_t refused;        /* ends for which there was no room */
	uint64_t elsewhere;      /* ends that talk to other machines, or out of reach */
	uint64_t idle;           /* ends that talk to nobody */
	struct waiting *waiting; /* hash by client */
};

/* NULL: out of memory. */
struct channel_list *channel_list__new(uint64_t own_network);
void channel_list__free(struct channel_list *list);

/* Copies the end and its name. 0 or -ENOMEM. */
int channel_list__add(struct channel_list *list, const struct end *end);

/* A struct waiting. 0 or -ENOMEM. */
int channel_list__add_waiting(struct channel_list *list, uint64_t listener, uint64_t client);

/* What is known to be a connection; at most one of them is NULL. Copies. 0 or -ENOMEM. */
int channel_list__add_pair(struct channel_list *list, const struct end *from, const struct end *to);

/* For pairing.c: an end of nothing but zeros, the list's. NULL: out of memory. */
struct end *channel_list__new_end(struct channel_list *list);

/* For pairing.c: 0 or -ENOMEM. */
int channel_list__add_service(struct channel_list *list, const struct end *end);
int channel_list__add_connection(struct channel_list *list, const struct connection *connection);

/* Finds services and connections among what was added. Once. 0 or -ENOMEM. */
int channel_list__pair(struct channel_list *list);

/* Fills in who holds the sockets. */
void channel_list__set_owners(struct channel_list *list, const struct owners *owners);

/*
 * Keeps what has a transport of the set (bits of enum transport_id; 0: all) and, if `wanted`, an
 * end with a wanted holder. Counts `elsewhere` and `idle` of what is kept, and sorts.
 */
void channel_list__filter(struct channel_list *list, unsigned int transports, bool wanted);

#endif
