/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sets up a thread of the server or of a client, reports failures, and checks whether the thread
 * must end.
 */
#include "util/clock.h"
#include "util/memory.h"
#include "workload/member/worker.h"

#include "util/caller.h"
#include "workload/setup/sched_policy.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

void worker_name(uint32_t number, char name[RECORD_COMM_LEN])
{
	/* RECORD_COMM_LEN has room for three digits behind the second dash. */
	const char *format = number < 1000 ? "ipctrace-cl-%u" : "ipctrace-cl%u";

	if (number)
		snprintf(name, RECORD_COMM_LEN, format, number);
	else
		snprintf(name, RECORD_COMM_LEN, "ipctrace-server");
}

int worker_fail(const struct worker *worker, const char *what, const char *thing, int err,
		const char *remedy)
{
	char name[RECORD_COMM_LEN], more[MEMORY_REMEDY_LEN];

	/* While a run is stopped, members may fail to reach one another. That is no failure. */
	if (shared_stopped(worker->shared))
		return EXIT_FAILURE;
	worker_name(worker->number, name);
	/* A thread that cannot be made for lack of memory fails with EAGAIN. */
	if (err == -EAGAIN && memory_is_short())
		shared_fail(worker->shared, ENOMEM, "%s: %s of %s: %s", what, thing, name,
			    strerror(ENOMEM));
	else
		shared_fail(worker->shared, -err, "%s: %s of %s: %s: %s%s%s", what, thing, name,
			    strerror(-err), remedy, err == -ENOMEM ? ", or " : "",
			    err == -ENOMEM ? memory_remedy(more) : "");
	return EXIT_FAILURE;
}

struct slot *worker_slot(const struct worker *worker)
{
	return &worker->shared->slots[worker->number];
}

bool worker_is_over(const struct worker *worker)
{
	return shared_stopped(worker->shared) ||
	       atomic_load_explicit(&worker_slot(worker)->asked, memory_order_relaxed);
}

void worker_sleep_until(const struct worker *worker, uint64_t time_ns)
{
	while (clock_try_sleep_until(time_ns) == EINTR && !worker_is_over(worker))
		;
}

int worker_set_policy(const struct worker *worker)
{
	const struct workload_spec *spec = &worker->plan->spec;
	enum policy_role role = worker->number ? POLICY_CLIENT : POLICY_SENDER;
	int err = sched_policy_apply(spec, role);
	char policy[80];

	if (!err)
		return 0;
	sched_policy_text(spec, role, policy, sizeof(policy));
	return worker_fail(worker, "cannot set the scheduling policy", policy, err,
			   sched_policy_remedy(spec, err));
}

/* A change of user clears this setting, so it comes after. The parent may already be dead. */
void worker_follow_death(const struct worker *worker)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != worker->parent)
		_exit(EXIT_FAILURE);
}

/* The server also writes records about each link. */
static void journals_prefault(const struct worker *worker)
{
	struct shared *shared = worker->shared;

	journal_prefault(&worker_slot(worker)->journal);
	for (uint32_t i = 1; worker->number == LINK_SERVER && i <= shared->clients; i++)
		journal_prefault(&shared->slots[i].serving);
}

int worker_set_up_thread(const struct worker *worker)
{
	char name[RECORD_COMM_LEN];
	int err;

	worker_name(worker->number, name);
	prctl(PR_SET_NAME, name);
	err = cpu_affinity_apply(&worker->plan->cpus, worker->number);
	if (err)
		return worker_fail(worker, "cannot pin the process", "--cpus", err,
				   "use --cpus free");
	if (worker_set_policy(worker))
		return EXIT_FAILURE;
	journals_prefault(worker);
	atomic_store(&worker_slot(worker)->tid, (uint32_t)gettid());
	return EXIT_SUCCESS;
}

/* After the scheduling policy is set, because a real-time policy needs privileges. */
int worker_drop_privileges(const struct worker *worker)
{
	int err = caller_become(worker->plan->caller);

	if (err)
		return worker_fail(worker, "cannot drop privileges", "SUDO_UID and SUDO_GID", err,
				   "unset them to run the workload as root");
	worker_follow_death(worker);
	return EXIT_SUCCESS;
}
