/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The threads begin when the gate is open: until then the process has one thread, which the caller
 * can mark for tracing, and those that it makes are traced as well. Scheduling needs privileges, so
 * they are given up when all threads have what they need. The thread that makes them only waits.
 */
#include "workload/member/client.h"
#include "workload/member/client_threads.h"
#include "workload/setup/sched_policy.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

struct hand {
	struct worker worker;
	pthread_t thread;
	pthread_barrier_t *barrier;
};

/* A client that is to end is told so by a signal, which only has to break off what it waits in. */
static void on_ask(int number)
{
	(void)number;
}

static void asks_expect(void)
{
	struct sigaction action = {.sa_handler = on_ask};

	sigaction(SIGTERM, &action, NULL);
}

static void *hand_main(void *arg)
{
	struct hand *hand = arg;
	const struct worker *worker = &hand->worker;
	int status;

	if (worker_set_up_thread(worker))
		_exit(EXIT_FAILURE);
	pthread_barrier_wait(hand->barrier); /* all are set up */
	pthread_barrier_wait(hand->barrier); /* and nobody is root any more */
	status = client_run(worker);
	atomic_store(&worker_slot(worker)->status, (uint32_t)status);
	return NULL;
}

static int hands_begin(struct hand *hands, const struct worker *worker, pthread_barrier_t *barrier)
{
	for (uint32_t i = 0; i < worker->plan->spec.clients; i++) {
		int err;

		hands[i].worker = *worker;
		hands[i].worker.number = i + 1;
		hands[i].barrier = barrier;
		err = pthread_create(&hands[i].thread, NULL, hand_main, &hands[i]);
		if (err)
			return worker_fail(&hands[i].worker, "cannot make a thread", "client", -err,
					   "use fewer --clients, or allow this user more processes "
					   "(ulimit -u)");
	}
	return EXIT_SUCCESS;
}

static int hands_run(struct hand *hands, const struct worker *worker)
{
	uint32_t clients = worker->plan->spec.clients;
	pthread_barrier_t barrier;

	pthread_barrier_init(&barrier, NULL, clients + 1);
	if (hands_begin(hands, worker, &barrier))
		return EXIT_FAILURE;
	pthread_barrier_wait(&barrier);
	if (worker_drop_privileges(worker))
		return EXIT_FAILURE;
	pthread_barrier_wait(&barrier);
	for (uint32_t i = 0; i < clients; i++)
		pthread_join(hands[i].thread, NULL);
	pthread_barrier_destroy(&barrier);
	return EXIT_SUCCESS;
}

/*
 * Whether the policy can be had at all is to be known before the gate opens. This thread does not
 * keep it: it would take its share from the others.
 */
static int policy_try(const struct worker *worker)
{
	const struct workload_spec other = {.policy = POLICY_OTHER};

	if (worker_set_policy(worker))
		return EXIT_FAILURE;
	sched_policy_apply(&other, POLICY_CLIENT);
	return EXIT_SUCCESS;
}

int client_threads_run(const struct worker *worker)
{
	struct hand *hands = calloc(worker->plan->spec.clients, sizeof(*hands));
	int status;

	prctl(PR_SET_NAME, "ipctrace-crew");
	if (!hands)
		return worker_fail(worker, "cannot get memory", "clients", -ENOMEM,
				   "use fewer --clients");
	asks_expect();
	worker_follow_death(worker);
	status = policy_try(worker);
	if (!status) {
		shared_ready(worker->shared);
		shared_gate_wait(worker->shared, GATE_OPEN);
		status = hands_run(hands, worker);
	}
	return status; /* `hands` is theirs until the process ends */
}
