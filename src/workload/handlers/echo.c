/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements the handlers that answer with the request itself: "echo" at once, so that a run
 * measures only the transport, "spin" after it has used CPU time, and "sleep" after a sleep.
 */
#include "util/clock.h"
#include "util/parse.h"
#include "workload/handler.h"

#include <stdlib.h>
#include <string.h>

/* A valid pointer: NULL would be a failure. */
static void *echo_open(const char *argument)
{
	static char nothing;

	(void)argument;
	return &nothing;
}

static ssize_t echo_answer(void *state, const char *text, size_t size, char *answer,
			   size_t answer_size)
{
	size_t length = size < answer_size ? size : answer_size;

	(void)state;
	if (length)
		memcpy(answer, text, length);
	return (ssize_t)length;
}

static void echo_close(void *state)
{
	(void)state;
}

const struct handler_ops echo_handler = {
	.name = "echo",
	.summary = "send the request back",
	.open = echo_open,
	.answer = echo_answer,
	.close = echo_close,
};

static const char *duration_parse(const char *argument, uint64_t *ns)
{
	static char why[PARSE_WHY_LEN];

	return parse_duration(argument, ns, why) ? why : NULL;
}

static const char *spin_refuse(const char *argument)
{
	uint64_t ns;

	return argument ? duration_parse(argument, &ns) : "no duration: add one, as in spin=20us";
}

static const char *sleep_refuse(const char *argument)
{
	uint64_t ns;

	return argument ? duration_parse(argument, &ns) : "no duration: add one, as in sleep=1ms";
}

static void *duration_open(const char *argument)
{
	uint64_t *ns = malloc(sizeof(*ns));

	if (ns)
		duration_parse(argument, ns);
	return ns;
}

static uint64_t cpu_time_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (uint64_t)time.tv_sec * NSEC_PER_SEC + (uint64_t)time.tv_nsec;
}

/*
 * Spends CPU time of this thread, not elapsed time. Reading it takes a syscall, so the loop reads
 * the monotonic clock until the CPU time can be used up at the earliest.
 */
static void cpu_spend(uint64_t ns)
{
	const uint64_t end_ns = cpu_time_ns() + ns;
	uint64_t used_ns;

	while ((used_ns = cpu_time_ns()) < end_ns) {
		uint64_t until_ns = clock_now_ns() + (end_ns - used_ns);

		while (clock_now_ns() < until_ns)
			;
	}
}

static ssize_t spin_answer(void *state, const char *text, size_t size, char *answer,
			   size_t answer_size)
{
	const uint64_t *ns = state;

	cpu_spend(*ns);
	return echo_answer(NULL, text, size, answer, answer_size);
}

static ssize_t sleep_answer(void *state, const char *text, size_t size, char *answer,
			    size_t answer_size)
{
	const uint64_t *ns = state;

	clock_sleep_until(clock_now_ns() + *ns);
	return echo_answer(NULL, text, size, answer, answer_size);
}

const struct handler_ops spin_handler = {
	.name = "spin",
	.argument = "DUR",
	.summary = "use the CPU for DUR, then send the request back",
	.refuse = spin_refuse,
	.open = duration_open,
	.answer = spin_answer,
	.close = free,
};

const struct handler_ops sleep_handler = {
	.name = "sleep",
	.argument = "DUR",
	.summary = "sleep for DUR, then send the request back",
	.refuse = sleep_refuse,
	.open = duration_open,
	.answer = sleep_answer,
	.close = free,
};
