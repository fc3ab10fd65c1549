/* SPDX-License-Identifier: BSD-2-Clause */
/* A client of a workload: how it comes and goes. */
#ifndef IPCTRACE_WORKLOAD_MEMBER_CLIENT_H
#define IPCTRACE_WORKLOAD_MEMBER_CLIENT_H

#include "workload/member/links.h"

struct client {
	const struct worker *worker;
	struct links links;
	struct link *link; /* its only one */
};

/* The life of a client after it has been set up. The exit status. */
int client_run(const struct worker *worker);

/* Until all clients are there and the server listens: for patterns in which clients speak first. */
void client_await_go(const struct client *client);

/* Says that an error of links_take() or links_deliver() ends this client. The exit status. */
int client_fail(const struct client *client, const char *what, int err);

#endif
