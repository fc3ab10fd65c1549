/* SPDX-License-Identifier: BSD-2-Clause */
#include "workload/worker.h"
#include "workload/policy.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

void worker_name(unsigned int process, char name[RECORD_COMM_LEN])
{
	/* Only three digits fit behind the second dash. */
	const char *format = process < 1000 ? "ipctrace-cl-%u" : "ipctrace-cl%u";

	if (process)
		snprintf(name, RECORD_COMM_LEN, format, process);
	else
		snprintf(name, RECORD_COMM_LEN, "ipctrace-server");
}

void worker_endpoint_name(unsigned int process, char name[ENDPOINT_NAME_LEN])
{
	if (process)
		snprintf(name, ENDPOINT_NAME_LEN, "client-%u", process);
	else
		snprintf(name, ENDPOINT_NAME_LEN, "server");
}

int worker_fail(const struct worker *worker, const char *what, const char *thing, int err,
		const char *remedy)
{
	char name[RECORD_COMM_LEN];

	/* While a run is being stopped, nobody need find anybody any more. */
	if (shared_stopped(worker->shared))
		return EXIT_FAILURE;
	worker_name(worker->process, name);
	shared_fail(worker->shared, -err, "%s: %s of %s: %s: %s", what, thing, name, strerror(-err),
		    remedy);
	return EXIT_FAILURE;
}

struct endpoint *worker_open(const struct worker *worker, const char *name)
{
	struct endpoint *endpoint = worker->plan->transport->open(worker->directory, name);
	int err = -errno;

	if (!endpoint)
		worker_fail(worker, "cannot open the endpoint", name, err,
			    "try another --transport or fewer --clients");
	return endpoint;
}

struct peer *worker_find(const struct worker *worker, struct endpoint *from, const char *name)
{
	struct peer *peer = worker->plan->transport->find(from, worker->directory, name);
	int err = -errno;

	if (!peer)
		worker_fail(worker, "cannot find the peer", name, err,
			    "try another --transport or fewer --clients");
	return peer;
}

/*
 * The caller's handlers and mask are none of ours. The terminal's ^C is for the caller, which then
 * asks the server to end: a group of its own keeps it away, and so does ignoring it.
 */
static void signals_reset(void)
{
	sigset_t none;

	setpgid(0, 0);
	for (int number = 1; number < NSIG; number++)
		signal(number, number == SIGINT ? SIG_IGN : SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static int policy_set(const struct worker *worker)
{
	const struct workload_spec *spec = &worker->plan->spec;
	enum policy_role role = worker->process ? POLICY_CLIENT : POLICY_SENDER;
	int err = policy_apply(spec, role);
	char policy[80];

	if (!err)
		return 0;
	policy_text(spec, role, policy, sizeof(policy));
	return worker_fail(worker, "cannot set the scheduling policy", policy, err,
			   policy_remedy(spec, err));
}

/* After the change of user, which would undo it. The parent may have died before. */
static void death_follow(const struct worker *worker)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != worker->parent)
		_exit(EXIT_FAILURE);
}

static int worker_set_up(const struct worker *worker)
{
	const struct plan *plan = worker->plan;
	char name[RECORD_COMM_LEN];
	int err;

	worker_name(worker->process, name);
	prctl(PR_SET_NAME, name);
	signals_reset();
	err = placement_apply(&plan->cpus, worker->process);
	if (err)
		return worker_fail(worker, "cannot pin the process", "--cpus", err,
				   "use --cpus free");
	if (policy_set(worker))
		return EXIT_FAILURE;
	err = privileges_drop(&plan->identity);
	if (err)
		return worker_fail(worker, "cannot drop privileges", "SUDO_UID and SUDO_GID", err,
				   "unset them to run the workload as root");
	death_follow(worker);
	journal_prefault(&worker->shared->slots[worker->process].journal);
	return EXIT_SUCCESS;
}

_Noreturn void worker_run(const struct worker *worker)
{
	const struct pattern *pattern = worker->plan->pattern;
	bool is_server = worker->process == 0;

	if (worker_set_up(worker))
		_exit(EXIT_FAILURE);
	shared_ready(worker->shared);
	shared_gate_wait(worker->shared, is_server ? GATE_OPEN : GATE_SERVED);
	_exit(is_server ? pattern->server(worker) : pattern->client(worker));
}
