/* SPDX-License-Identifier: BSD-2-Clause */
/* Which two ends are connected, for sockets of all kinds and namespaces. */
#include "support/build.h"
#include "support/channel_ends.h"

#include "command/list/list_view.h"

static struct end udp(uint64_t inode, const char *local, uint16_t port, const char *remote,
		      uint16_t remote_port)
{
	struct end end = tcp(inode, local, port, remote, remote_port);

	end.transport = end.transport == TRANSPORT_TCP6 ? TRANSPORT_UDP6 : TRANSPORT_UDP;
	end.state = remote_port ? END_CONNECTED : END_UNCONNECTED;
	return end;
}

static struct end in_state(struct end end, enum end_state state)
{
	end.state = state;
	return end;
}

static void assert_no_connection(struct channel_list *list)
{
	pair_all(list);
	assert_int_equal(list->connection_cnt, 0);
}

/* In both orders, because the kernel lists sockets in any order. */
static void assert_pair(struct end one, struct end other, enum connection_state state,
			uint64_t from, uint64_t to, const char *name)
{
	for (int i = 0; i < 2; i++) {
		struct channel_list *list = new_list();

		add_end(list, i ? other : one);
		add_end(list, i ? one : other);
		assert_connection(list, state, from, to, name);
	}
}

TEST(a_client_is_connected_to_the_end_that_has_the_name)
{
	assert_pair(unix_peer(9, NULL, 5), unix_peer(5, "/run/x", 9), CONNECTION_OPEN, 9, 5,
		    "/run/x");
	assert_pair(unix_peer(5, NULL, 9), unix_peer(9, "/run/x", 5), CONNECTION_OPEN, 5, 9,
		    "/run/x");
}

TEST(a_pair_without_names_begins_with_the_older_socket)
{
	assert_pair(unix_peer(7, NULL, 8), unix_peer(8, NULL, 7), CONNECTION_OPEN, 7, 8, "");
	assert_pair(datagram(unix_peer(7, NULL, 8)), datagram(unix_peer(8, NULL, 7)),
		    CONNECTION_OPEN, 7, 8, "");
}

TEST(a_shut_down_direction_is_half_closed)
{
	assert_pair(half_closed(unix_peer(9, NULL, 5)), unix_peer(5, "/run/x", 9),
		    CONNECTION_HALF_CLOSED, 9, 5, "/run/x");
	assert_pair(tcp(1, "127.0.0.1", 40000, "127.0.0.1", 80),
		    half_closed(tcp(2, "127.0.0.1", 80, "127.0.0.1", 40000)),
		    CONNECTION_HALF_CLOSED, 1, 2, "127.0.0.1:80");
}

TEST(an_end_with_a_closed_peer_is_alone)
{
	struct channel_list *list = new_list();

	add_end(list, half_closed(unix_peer(5, "/run/x", 0)));
	assert_connection(list, CONNECTION_PEER_GONE, 0, 5, "/run/x");

	list = new_list();
	add_end(list, half_closed(unix_peer(5, NULL, 0)));
	assert_connection(list, CONNECTION_PEER_GONE, 5, 0, "");

	list = new_list();
	add_end(list, datagram(unix_peer(5, "/run/client", 0)));
	assert_connection(list, CONNECTION_PEER_GONE, 5, 0, "/run/client");
}

TEST(a_peer_that_the_kernel_did_not_list_has_its_inode)
{
	struct channel_list *list = new_list();

	add_end(list, unix_peer(5, NULL, 77));
	assert_connection(list, CONNECTION_OPEN, 5, 77, "");
}

TEST(a_waiting_client_is_connected_to_the_listener)
{
	struct channel_list *list = new_list();

	add_end(list, unix_peer(9, NULL, 0));
	add_end(list, unix_listener(3, "/run/x"));
	assert_int_equal(channel_list__add_waiting(list, 3, 9), 0);
	assert_connection(list, CONNECTION_NOT_ACCEPTED, 9, 3, "/run/x");
	assert_int_equal(list->service_cnt, 1);
}

/* accept() can happen after the listener and before the client is listed. */
TEST(a_client_that_was_accepted_meanwhile_does_not_wait)
{
	struct channel_list *list = new_list();

	add_end(list, unix_listener(3, "/run/x"));
	assert_int_equal(channel_list__add_waiting(list, 3, 9), 0);
	add_end(list, unix_peer(9, NULL, 12));
	add_end(list, unix_peer(12, "/run/x", 9));
	assert_connection(list, CONNECTION_OPEN, 9, 12, "/run/x");
}

TEST(a_socket_that_is_listed_twice_is_one)
{
	struct channel_list *list = new_list();

	add_end(list, unix_peer(9, NULL, 5));
	add_end(list, unix_peer(5, "/run/x", 9));
	add_end(list, unix_peer(9, NULL, 5));
	assert_connection(list, CONNECTION_OPEN, 9, 5, "/run/x");
}

TEST(many_send_to_a_datagram_socket)
{
	struct channel_list *list = new_list();

	add_end(list, datagram(unix_end(3, "/dev/log")));
	add_end(list, datagram(unix_peer(9, NULL, 3)));
	add_end(list, datagram(unix_peer(8, "/run/client", 3)));
	pair_all(list);
	assert_int_equal(list->connection_cnt, 2);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(inode_of(list->connection[i].from), 9 - i);
		assert_int_equal(inode_of(list->connection[i].to), 3);
	}
	assert_int_equal(list->service_cnt, 1);
}

TEST(a_socket_without_name_and_peer_is_idle)
{
	struct channel_list *list = new_list();

	add_end(list, datagram(unix_end(3, NULL)));
	add_end(list, in_state(unix_end(4, NULL), END_UNCONNECTED));
	add_end(list, in_state(unix_end(5, "/bound/only"), END_UNCONNECTED));
	add_end(list, udp(6, "0.0.0.0", 0, "0.0.0.0", 0));
	assert_no_connection(list);
	assert_int_equal(list->service_cnt, 0);
	assert_int_equal(list->idle, 4);
}

TEST(tcp_ends_meet_by_their_addresses)
{
	assert_pair(tcp(1, "127.0.0.1", 40000, "127.0.0.1", 80),
		    tcp(2, "127.0.0.1", 80, "127.0.0.1", 40000), CONNECTION_OPEN, 1, 2,
		    "127.0.0.1:80");
	assert_pair(tcp(1, "::1", 40000, "::1", 80), tcp(2, "::1", 80, "::1", 40000),
		    CONNECTION_OPEN, 1, 2, "[::1]:80");
}

TEST(a_listener_makes_the_server_whatever_its_port)
{
	struct channel_list *list = new_list();

	add_end(list, tcp(1, "127.0.0.1", 1000, "127.0.0.1", 50000));
	add_end(list, tcp(2, "127.0.0.1", 50000, "127.0.0.1", 1000));
	add_end(list, tcp_listener(3, "0.0.0.0", 50000));
	assert_connection(list, CONNECTION_OPEN, 1, 2, "127.0.0.1:50000");
}

/* Each is connected within its own namespace, although the other one has the same addresses. */
TEST(loopbacks_of_two_namespaces_are_not_mixed)
{
	struct channel_list *list = new_list();

	add_end(list, tcp(1, "127.0.0.1", 40000, "127.0.0.1", 80));
	add_end(list, abroad(tcp(2, "127.0.0.1", 80, "127.0.0.1", 40000)));
	pair_all(list);
	assert_int_equal(list->connection_cnt, 2);
	for (int i = 0; i < 2; i++)
		assert_int_equal(list->connection[i].state, CONNECTION_PEER_GONE);

	list = new_list();
	add_end(list, abroad(tcp(2, "127.0.0.1", 80, "127.0.0.1", 40000)));
	add_end(list, tcp(1, "127.0.0.1", 40000, "127.0.0.1", 80));
	add_end(list, tcp(4, "127.0.0.1", 80, "127.0.0.1", 40000));
	add_end(list, abroad(tcp(3, "127.0.0.1", 40000, "127.0.0.1", 80)));
	pair_all(list);
	assert_int_equal(list->connection_cnt, 2);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(list->connection[i].state, CONNECTION_OPEN);
		assert_int_equal(list->connection[i].from->network,
				 list->connection[i].to->network);
	}
}

TEST(a_connection_may_join_two_namespaces)
{
	assert_pair(tcp(1, "10.0.0.1", 40000, "10.0.0.2", 80),
		    abroad(tcp(2, "10.0.0.2", 80, "10.0.0.1", 40000)), CONNECTION_OPEN, 1, 2,
		    "10.0.0.2:80");
}

/* Two containers can have the same address. It is unknown then which of them is meant. */
TEST(one_of_several_namespaces_is_not_guessed)
{
	struct channel_list *list = new_list();
	struct end third = tcp(3, "10.0.0.2", 80, "10.0.0.1", 40000);

	third.network = ABROAD + 1;
	add_end(list, tcp(1, "10.0.0.1", 40000, "10.0.0.2", 80));
	add_end(list, abroad(tcp(2, "10.0.0.2", 80, "10.0.0.1", 40000)));
	add_end(list, third);
	pair_all(list);
	assert_int_equal(list->connection_cnt, 0);
	assert_int_equal(list->elsewhere, 3);
}

TEST(other_machines_are_counted)
{
	struct channel_list *list = new_list();

	add_end(list, tcp(1, "10.0.0.1", 40000, "93.184.216.34", 443));
	add_end(list, tcp(2, "10.0.0.1", 22, "10.9.9.9", 50000));
	add_end(list, udp(3, "10.0.0.1", 40000, "8.8.8.8", 53));
	add_end(list, tcp_listener(4, "0.0.0.0", 443));
	add_end(list, udp(5, "0.0.0.0", 53, "0.0.0.0", 0));
	assert_no_connection(list);
	assert_int_equal(list->elsewhere, 3);
	assert_int_equal(list->service_cnt, 2);
}

TEST(a_tcp_client_that_waits_is_connected_to_the_listener)
{
	struct channel_list *list = new_list();

	add_end(list, tcp(1, "127.0.0.1", 40000, "127.0.0.1", 80));
	add_end(list, in_state(tcp(0, "127.0.0.1", 80, "127.0.0.1", 40000), END_UNACCEPTED));
	add_end(list, tcp_listener(3, "0.0.0.0", 80));
	assert_connection(list, CONNECTION_NOT_ACCEPTED, 1, 3, "127.0.0.1:80");
	assert_int_equal(list->connection[0].others, 0);

	/* Its queue is full: there is no end yet. */
	list = new_list();
	add_end(list, in_state(tcp(1, "127.0.0.1", 40000, "127.0.0.1", 80), END_CONNECTING));
	add_end(list, tcp_listener(3, "127.0.0.1", 80));
	assert_connection(list, CONNECTION_NOT_ACCEPTED, 1, 3, "127.0.0.1:80");
}

TEST(one_of_several_listeners_on_a_port_is_not_guessed)
{
	struct channel_list *list = new_list();

	add_end(list, tcp(1, "127.0.0.1", 40000, "127.0.0.1", 80));
	add_end(list, in_state(tcp(0, "127.0.0.1", 80, "127.0.0.1", 40000), END_UNACCEPTED));
	for (int i = 0; i < 3; i++)
		add_end(list, tcp_listener(3 + i, "0.0.0.0", 80));
	pair_all(list);
	assert_int_equal(list->connection_cnt, 1);
	assert_int_equal(list->connection[0].others, 2);
}

TEST(a_tcp_end_that_its_owner_has_closed_is_gone)
{
	struct channel_list *list;

	assert_pair(half_closed(tcp(1, "127.0.0.1", 40000, "127.0.0.1", 80)),
		    half_closed(tcp(0, "127.0.0.1", 80, "127.0.0.1", 40000)), CONNECTION_PEER_GONE,
		    1, 0, "127.0.0.1:80");
	assert_pair(half_closed(tcp(0, "127.0.0.1", 40000, "127.0.0.1", 80)),
		    half_closed(tcp(1, "127.0.0.1", 80, "127.0.0.1", 40000)), CONNECTION_PEER_GONE,
		    0, 1, "127.0.0.1:80");

	/* The other end is in TIME_WAIT, which is not listed. */
	list = new_list();
	add_end(list, half_closed(tcp(1, "127.0.0.1", 80, "127.0.0.1", 40000)));
	add_end(list, tcp_listener(3, "0.0.0.0", 80));
	assert_connection(list, CONNECTION_PEER_GONE, 0, 1, "127.0.0.1:80");

	list = new_list();
	add_end(list, half_closed(tcp(0, "127.0.0.1", 80, "127.0.0.1", 40000)));
	add_end(list, half_closed(tcp(0, "127.0.0.1", 40000, "127.0.0.1", 80)));
	assert_no_connection(list);
}

TEST(a_socket_may_be_connected_to_itself)
{
	struct channel_list *list = new_list();

	add_end(list, tcp(1, "127.0.0.1", 4000, "127.0.0.1", 4000));
	assert_connection(list, CONNECTION_OPEN, 1, 1, "127.0.0.1:4000");

	list = new_list();
	add_end(list, datagram(unix_peer(1, "/run/self", 1)));
	assert_connection(list, CONNECTION_OPEN, 1, 1, "/run/self");
}

TEST(a_datagram_goes_to_the_socket_that_fits_best)
{
	struct channel_list *list = new_list();

	add_end(list, udp(1, "127.0.0.1", 40000, "127.0.0.1", 53));
	add_end(list, udp(2, "::", 53, "::", 0));
	add_end(list, udp(3, "0.0.0.0", 53, "0.0.0.0", 0));
	add_end(list, udp(4, "127.0.0.1", 53, "0.0.0.0", 0));
	add_end(list, udp(5, "127.0.0.2", 53, "0.0.0.0", 0));
	add_end(list, abroad(udp(6, "127.0.0.1", 53, "0.0.0.0", 0)));
	add_end(list, tcp_listener(7, "127.0.0.1", 53));
	assert_connection(list, CONNECTION_OPEN, 1, 4, "127.0.0.1:53");
	assert_int_equal(list->connection[0].others, 0);
}

TEST(a_datagram_to_an_unbound_address_has_no_peer)
{
	struct channel_list *list = new_list();

	add_end(list, udp(1, "127.0.0.1", 40000, "127.0.0.1", 53));
	add_end(list, udp(2, "127.0.0.2", 53, "0.0.0.0", 0));
	assert_connection(list, CONNECTION_PEER_GONE, 1, 0, "127.0.0.1:53");
}

TEST(what_does_not_fit_is_counted)
{
	struct channel_list *list = new_list();

	for (uint64_t i = 1; i <= LIST_ENDS_MAX; i++)
		add_end(list, unix_peer(i, NULL, i ^ 1));
	assert_int_equal(list->refused, 0);
	add_end(list, unix_peer(LIST_ENDS_MAX + 1, NULL, 1));
	assert_int_equal(list->refused, 1);
	assert_int_equal(list->end_cnt, LIST_ENDS_MAX);
}
