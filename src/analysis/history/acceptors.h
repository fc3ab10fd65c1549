/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keeps which threads accept connections of which listening socket, when they did, what each thread
 * waits for, and what of this they share (level deep). So a thread is known that could have taken
 * what another one has, and the one that has to answer on a connection that waits.
 */
#pragma once

#include "bpf/deep.h"
#include "container/event_log.h"

#include <stdbool.h>

/* Threads of one listener, and listeners, that are remembered. */
#define ACCEPTORS_MAX   64
#define ACCEPTED_AT_MAX 1024

/* accept() has returned a connection. */
struct acceptance {
	uint64_t exit_ns;
	uint64_t listener;
	bool is_unix;
};

/* A listening socket on a port on which several listen. */
struct port_listener {
	uint64_t id;
	uint64_t group; /* of all of them */
	uint64_t epoll; /* that watches it; 0: not known */
	UT_hash_handle hh;
};

struct users;

struct acceptors {
	struct event_log accepted; /* struct acceptance, by thread */
	struct event_log watched;  /* by thread */
	struct event_log watchers; /* epolls, by channel */
	struct event_log sockets;  /* of UDP, by channel */
	struct event_log programs; /* by thread */
	struct event_log connects; /* by thread */
	struct event_log answers;  /* by thread: only the first one */
	struct users *listener;
	struct users *epoll;
	struct port_listener *port;
};

void acceptors_init(struct acceptors *acceptors);
void acceptors_clean(struct acceptors *acceptors);

/* 0 or -ENOMEM. */
int acceptors_watch(struct acceptors *acceptors, const struct record_watch *record);

/* The same. */
int acceptors_share(struct acceptors *acceptors, const struct record_shared *record);

/* Thread `tid` has accepted a connection of a listener. 0 or -ENOMEM. */
int acceptors_accept(struct acceptors *acceptors, uint32_t tid, uint64_t exit_ns, uint64_t listener,
		     bool is_unix);

/* Thread `tid` has connected to a listener. 0 or -ENOMEM. */
int acceptors_connect(struct acceptors *acceptors, uint32_t tid, uint64_t exit_ns,
		      uint64_t listener);

/* Thread `tid` has answered a request. 0 or -ENOMEM. */
int acceptors_answer(struct acceptors *acceptors, uint32_t tid, uint64_t at_ns);

/* When thread `tid` connected last, up to `at_ns`; 0: not known. */
uint64_t acceptors_connected(struct acceptors *acceptors, uint32_t tid, uint64_t at_ns);

/*
 * The thread that has to accept that connection, and to answer on it: no other one has used its
 * listener, and this one has answered requests. 0: there is none, or that is not known.
 */
uint32_t acceptors_asked(struct acceptors *acceptors, uint32_t tid, uint64_t at_ns);

/* The thread's connections up to an instant, that instant included: struct acceptance. */
struct events acceptors_until(struct acceptors *acceptors, uint32_t tid, uint64_t at_ns);

/* The threads that have used a listener, or slept for it, up to ACCEPTORS_MAX. Borrowed. */
const uint32_t *acceptors_of(const struct acceptors *acceptors, uint64_t listener, uint32_t *cnt);

/*
 * Whether thread `tid`, which sleeps at `at_ns`, waits for connections of this
 * listener: in accept(), or for the same things as before it accepted one. `polls`: the thread
 * sleeps in a call that polls; else in system call `number`. False: it does not, or that is not
 * known.
 */
bool acceptors_waits(struct acceptors *acceptors, uint32_t tid, uint64_t at_ns, uint64_t listener,
		     bool polls, uint32_t number);

/* An epoll in which several threads wait, and which watches this channel; 0: none is known. */
uint64_t acceptors_epoll_of(struct acceptors *acceptors, uint32_t channel, uint64_t at_ns);

/* The UDP socket that this channel ends at, if there are several on its port; else 0. */
uint64_t acceptors_socket_of(struct acceptors *acceptors, uint32_t channel, uint64_t at_ns);

/* The threads that have slept in an epoll, up to ACCEPTORS_MAX. Borrowed. */
const uint32_t *acceptors_in_epoll(const struct acceptors *acceptors, uint64_t epoll,
				   uint32_t *cnt);

/* Whether thread `tid`, which sleeps at `at_ns` in a call that polls, does so in this epoll. */
bool acceptors_sleeps_in(struct acceptors *acceptors, uint32_t tid, uint64_t at_ns, uint64_t epoll);

/*
 * The next of the other sockets that listen on the port of a listener; `last`: the one before, or
 * NULL. NULL: there is no further one. Borrowed.
 */
const struct port_listener *acceptors_beside(const struct acceptors *acceptors, uint64_t listener,
					     const struct port_listener *last);

/* Whether both threads execute the same file. False: they do not, or that is not known. */
bool acceptors_are_one_program(struct acceptors *acceptors, uint32_t tid, uint32_t other);

/* How many events are kept. */
static inline size_t acceptors_cnt(const struct acceptors *acceptors)
{
	return acceptors->accepted.cnt + acceptors->watched.cnt + acceptors->watchers.cnt +
	       acceptors->sockets.cnt + acceptors->programs.cnt + acceptors->connects.cnt +
	       acceptors->answers.cnt;
}

/* Forgets events from before `horizon_ns`, but the last one of each thread. */
void acceptors_trim(struct acceptors *acceptors, uint64_t horizon_ns);
