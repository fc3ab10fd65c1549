/* SPDX-License-Identifier: BSD-2-Clause */
/* A client and a server that talk over two channels, for tests of the call matcher. */
#pragma once

#include "support/build.h"
#include "support/serving.h"

#include "analysis/attach/calls/call_matcher.h"
#include "analysis/attach/channel_table.h"

/* Channels, and the cookies of the two sockets. */
enum { TO_SERVER = 1, TO_CLIENT = 2, CLIENT_END = 11, SERVER_END = 12 };
enum { CLIENT = 100, SERVER = 200, WORKER = 201 };

extern struct call_matcher *matcher;
extern struct channel_table *channels;
extern struct timelines *lines;
extern struct work_log *work;
extern struct serving serving;
extern struct calls_summary calls;
extern uint32_t called[8]; /* channels of requests, the last ones */
extern size_t called_cnt;
extern struct call last_call;
extern struct message_ends ends; /* of all messages */

int conversation_setup(void **state);
int conversation_setup_named(void **state); /* and connect_named() */
int conversation_teardown(void **state);
void renew_matcher(bool is_in_turn);
int on_call(void *ctx, const struct call *call); /* expects &calls */
struct call_direction *direction_of(uint32_t id);
void add_channel(uint32_t id, uint64_t sender, uint64_t receiver);
void add_name(uint32_t id, uint32_t named);
void add_ports(uint32_t id, uint16_t sender, uint16_t receiver);
void connect_both(void);
void connect_named(void);
int say_as(enum match match, uint32_t channel, uint32_t sender, uint32_t receiver, uint64_t send_ns,
	   uint64_t recv_ns);
int say(uint32_t channel, uint32_t sender, uint32_t receiver, uint64_t send_ns, uint64_t recv_ns);
int request(uint64_t send_ns, uint64_t recv_ns);
int answer(uint64_t send_ns, uint64_t recv_ns);

/* A receive got a part of the request at this position, of which the rest is yet to come. */
int request_part(uint64_t position, uint64_t send_ns, uint64_t recv_ns);
int request_at(uint64_t position, uint64_t send_ns, uint64_t recv_ns); /* all of it, or its rest */

/* The thread sleeps at that instant, for 1 ns; `first`: how many changes it had before. */
void put_sleep(uint32_t tid, uint32_t kind, uint64_t at_ns, uint64_t first);

/* Expects these sums of all calls so far. Afterwards each connection begins anew. */
void assert_sums(uint64_t cnt, uint64_t round_trip_ns, uint64_t request_ns, uint64_t service_ns,
		 uint64_t response_ns);
