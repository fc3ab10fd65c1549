/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes the ends of channels for tests of pairing and lists. */
#pragma once

#include "command/channels/channel_list.h"

#define NETWORK 4026531840ULL
#define ABROAD  4026532177ULL

/* It lasts until the end of the test. */
struct channel_list *new_list(void);

void add_end(struct channel_list *list, struct end end);

struct end unix_end(uint64_t inode, const char *name);

struct end unix_peer(uint64_t inode, const char *name, uint64_t peer);

struct end unix_listener(uint64_t inode, const char *name);

struct end datagram(struct end end);

struct address address(const char *ip, uint16_t port);

struct end tcp(uint64_t inode, const char *local, uint16_t port, const char *remote,
	       uint16_t remote_port);

struct end tcp_listener(uint64_t inode, const char *local, uint16_t port);

struct end half_closed(struct end end);

struct end abroad(struct end end);

void pair_all(struct channel_list *list);

uint64_t inode_of(const struct end *end);

/* Expects exactly one connection. 0: a closed end. */
void assert_connection(struct channel_list *list, enum connection_state state, uint64_t from,
		       uint64_t to, const char *name);
