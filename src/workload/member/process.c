/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs a process of a workload. The process sets up signals, scheduling and privileges, and then
 * runs the server, one client, or all clients.
 */
#include "util/caller.h"
#include "util/rights.h"
#include "util/signals.h"
#include "workload/member/member.h"
#include "workload/setup/sched_policy.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

static int policy_set(const struct worker *worker)
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
static void die_with_parent(const struct worker *worker)
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

static int thread_set_up(const struct worker *worker)
{
	char name[RECORD_COMM_LEN];
	int err;

	worker_name(worker->number, name);
	prctl(PR_SET_NAME, name);
	err = cpu_affinity_apply(&worker->plan->cpus, worker->number);
	if (err)
		return worker_fail(worker, "cannot pin the process", "--cpus", err,
				   "use --cpus free");
	if (policy_set(worker))
		return EXIT_FAILURE;
	journals_prefault(worker);
	atomic_store(&worker_slot(worker)->tid, (uint32_t)gettid());
	return EXIT_SUCCESS;
}

/* After the scheduling policy is set, because a real-time policy needs privileges. */
static int privileges_drop(const struct worker *worker)
{
	int err = caller_become(worker->plan->caller);

	if (err)
		return worker_fail(worker, "cannot drop privileges", "SUDO_UID and SUDO_GID", err,
				   "unset them to run the workload as root");
	die_with_parent(worker);
	return EXIT_SUCCESS;
}

/*
 * Runs all clients as threads of one process. The threads start only after the tracer has marked
 * the process for tracing, because new threads inherit the mark. The process drops its privileges
 * after the scheduling policies of all threads are set.
 */

struct client_thread {
	struct worker worker;
	pthread_t thread;
	pthread_barrier_t *barrier;
};

/* SIGTERM asks a client to end. The handler only has to interrupt the client's wait. */
static void on_end_request(int number)
{
	(void)number;
}

static void *client_thread_main(void *arg)
{
	struct client_thread *self = arg;
	const struct worker *worker = &self->worker;
	int status;

	if (thread_set_up(worker))
		_exit(EXIT_FAILURE);
	pthread_barrier_wait(self->barrier); /* all threads are set up */
	pthread_barrier_wait(self->barrier); /* privileges are dropped */
	rights_drop();                       /* those of this thread */
	status = client_run(worker);
	atomic_store(&worker_slot(worker)->status, (uint32_t)status);
	return NULL;
}

static int threads_begin(struct client_thread *threads, const struct worker *worker,
			 pthread_barrier_t *barrier)
{
	for (uint32_t i = 0; i < worker->plan->spec.clients; i++) {
		int err;

		threads[i].worker = *worker;
		threads[i].worker.number = i + 1;
		threads[i].barrier = barrier;
		err = pthread_create(&threads[i].thread, NULL, client_thread_main, &threads[i]);
		if (err)
			return worker_fail(&threads[i].worker, "cannot make a thread", "client",
					   -err,
					   "use fewer --clients, or allow this user more processes "
					   "(ulimit -u)");
	}
	return EXIT_SUCCESS;
}

static int threads_run(struct client_thread *threads, const struct worker *worker)
{
	uint32_t clients = worker->plan->spec.clients;
	pthread_barrier_t barrier;

	pthread_barrier_init(&barrier, NULL, clients + 1);
	if (threads_begin(threads, worker, &barrier))
		return EXIT_FAILURE;
	pthread_barrier_wait(&barrier);
	if (privileges_drop(worker))
		return EXIT_FAILURE;
	pthread_barrier_wait(&barrier);
	for (uint32_t i = 0; i < clients; i++)
		pthread_join(threads[i].thread, NULL);
	pthread_barrier_destroy(&barrier);
	return EXIT_SUCCESS;
}

/* Runs the process after fork; `worker` is the first client's. Returns the exit status. */
static int client_threads_run(const struct worker *worker)
{
	struct client_thread *threads = calloc(worker->plan->spec.clients, sizeof(*threads));
	const struct sigaction action = {.sa_handler = on_end_request};
	const struct workload_spec other = {.sched_policy = POLICY_OTHER};

	prctl(PR_SET_NAME, "ipctrace-client");
	if (!threads)
		return worker_fail(worker, "cannot get memory", "clients", -ENOMEM,
				   "use fewer --clients");
	sigaction(SIGTERM, &action, NULL);
	die_with_parent(worker);
	/*
	 * Checks before the gate opens that the policy is allowed. This thread does not keep the
	 * policy, which would take a share from the clients.
	 */
	if (policy_set(worker))
		return EXIT_FAILURE;
	sched_policy_apply(&other, POLICY_CLIENT);
	shared_ready(worker->shared);
	word_wait(&worker->shared->gate, GATE_OPEN);
	return threads_run(threads, worker); /* they use `threads` until the process ends */
}

_Noreturn void process_run(const struct worker *worker)
{
	/*
	 * Handlers and mask of the caller are undone. ^C is for the caller, which then asks the
	 * server to end: a process group of its own and SIG_IGN keep it away from this process.
	 */
	setpgid(0, 0);
	signals_default();
	signal(SIGINT, SIG_IGN);
	if (worker->number != LINK_SERVER && worker->plan->spec.threads)
		_exit(client_threads_run(worker));
	if (thread_set_up(worker) || privileges_drop(worker))
		_exit(EXIT_FAILURE);
	shared_ready(worker->shared);
	_exit(worker->number == LINK_SERVER ? server_run(worker) : client_run(worker));
}
