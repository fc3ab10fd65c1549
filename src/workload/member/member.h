/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the members of a workload, the server and its clients, and the control mailbox, through
 * which clients announce that they join or leave. A thread of the server reads the mailbox. If the
 * scheduling policy is real-time, this thread has a lower priority than the thread that sends to
 * clients, if possible.
 */
#pragma once

#include "workload/member/links.h"

#include <pthread.h>
#include <sys/un.h>

/*
 * A unix datagram socket in the run's private directory. Processes of a workload use it for
 * everything but the measured messages.
 */
struct mailbox {
	int fd;
	struct sockaddr_un address; /* address of the mailbox, on both sides */
};

struct control {
	const struct worker *worker;
	struct mailbox box;
	pthread_t thread;
};

/* In the server. 0, or the exit status of a failure that is already reported. */
int control_start(struct control *control, const struct worker *worker);
void control_end(struct control *control);

/* In a client, which closes box->fd. The mailbox may not exist yet. 0 or -errno. */
int control_open(struct mailbox *box, const struct worker *worker);

/* In a client: sends MEMBER_OPEN or MEMBER_LEFT, and waits for room in the mailbox. 0 or -errno. */
int control_send(const struct worker *worker, const struct mailbox *box,
		 enum membership membership);

#define CONTROL_BOX "control"

struct client {
	const struct worker *worker;
	struct links links;
	struct link *link; /* its only one */
};

/* Runs a client whose process or thread is set up. Returns the exit status. */
int client_run(const struct worker *worker);

/*
 * Waits until all clients have joined and the server listens, for patterns in which clients send
 * first.
 */
void client_await_go(const struct client *client);

struct server {
	const struct worker *worker;
	struct links links;
	struct control control;
	uint32_t *members; /* numbers of its clients in serving order */
	uint32_t members_cnt;
	/* Set by the pattern: */
	void *handler;     /* request: state of the handler */
	int listener;      /* connect: the listening socket */
	uint32_t open;     /* links that are not over */
	uint64_t messages; /* messages or answers so far */
};

/* Runs a server whose process is set up. Returns the exit status. */
int server_run(const struct worker *worker);

/* Waits until all clients have finished, `until_ns`, or the end of the run. */
void server_await_done(const struct server *server, uint64_t until_ns);

/* Nothing more is expected over this client's link. */
void server_finish_link(struct server *server, uint32_t client);

/* Counts an answer or a received message for the driver. */
void server_count(struct server *server);

/* Stops serving a client because of an error (-errno) in that round. */
void server_drop(struct server *server, uint32_t client, int err, uint64_t round);
