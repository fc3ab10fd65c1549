/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports failures of the server or of a client, and checks whether it must end. */
#include "util/clock.h"
#include "util/memory.h"
#include "workload/member/worker.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
