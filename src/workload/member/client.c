/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs a client. The client joins the workload, runs the pattern, and leaves. */
#include "workload/member/member.h"

#include <stdlib.h>
#include <unistd.h>

void client_await_go(const struct client *client)
{
	word_wait(&client->worker->shared->gate, GATE_GO);
}

static int client_serve(struct client *client, const struct mailbox *control)
{
	const struct worker *worker = client->worker;
	int err = control_send(worker, control, MEMBER_OPEN);
	int status;

	if (err)
		return worker_fail(worker, "cannot reach the server", "mailbox " CONTROL_BOX, err,
				   "see whether the server was killed");
	status = worker->plan->pattern->client(client);
	shared_finish(worker->shared, worker->number);
	if (!status && !worker_is_over(worker))
		word_wait(&worker->shared->gate, GATE_DONE);
	/* Ignored: the server may be gone by now. */
	if (!status)
		control_send(worker, control, MEMBER_LEFT);
	return status;
}

int client_run(const struct worker *worker)
{
	struct client client = {.worker = worker};
	struct mailbox control;
	int err, status;

	word_wait(&worker->shared->gate, GATE_SERVED);
	err = control_open(&control, worker);
	if (err)
		return worker_fail(worker, "cannot open a socket", "mailbox " CONTROL_BOX, err,
				   "allow more open files (ulimit -n)");
	word_wait(&worker->shared->turn, worker->number);
	status = links_open(&client.links, worker);
	if (!status) {
		client.link = client.links.link;
		word_raise(&worker->shared->joined, worker->number);
		status = client_serve(&client, &control);
	}
	links_close(&client.links);
	close(control.fd);
	return status;
}
