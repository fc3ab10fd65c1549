/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the client of a workload. */
#pragma once

#include "workload/member/links.h"

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

/*
 * Reports that an error of links_receive() or links_deliver() ends this client. Returns the exit
 * status.
 */
int client_fail(const struct client *client, const char *what, int err);
