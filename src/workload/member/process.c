/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs a process of a workload. The process sets up signals, scheduling and privileges, and then
 * runs the server, one client, or all clients.
 */
#include "util/signals.h"
#include "workload/member/client.h"
#include "workload/member/client_threads.h"
#include "workload/member/process.h"
#include "workload/member/server.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

/*
 * Handlers and mask of the caller are undone. ^C is for the caller, which then asks the server to
 * end: a process group of its own and SIG_IGN keep it away from this process.
 */
static void signals_reset(void)
{
	setpgid(0, 0);
	signals_default();
	signal(SIGINT, SIG_IGN);
}

static int member_run(const struct worker *worker)
{
	if (worker_set_up_thread(worker) || worker_drop_privileges(worker))
		return EXIT_FAILURE;
	shared_ready(worker->shared);
	return worker->number == LINK_SERVER ? server_run(worker) : client_run(worker);
}

_Noreturn void process_run(const struct worker *worker)
{
	signals_reset();
	if (worker->number != LINK_SERVER && worker->plan->spec.threads)
		_exit(client_threads_run(worker));
	_exit(member_run(worker));
}
