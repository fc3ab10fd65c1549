/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the server of a workload. */
#pragma once

#include "workload/member/control.h"
#include "workload/member/links.h"

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

/* Reports that an error of links_receive() ends the server. Returns the exit status. */
int server_fail(const struct server *server, const char *what, int err);

/* Stops serving a client because of an error (-errno) in that round. */
void server_drop(struct server *server, uint32_t client, int err, uint64_t round);
