/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads CLOCK_MONOTONIC, the clock of all measurements, and sleeps until a given time. */
#pragma once

#include <errno.h>
#include <stdint.h>
#include <time.h>

#define NSEC_PER_MSEC 1000000ULL
#define NSEC_PER_SEC  1000000000ULL

static inline uint64_t clock_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NSEC_PER_SEC + (uint64_t)now.tv_nsec;
}

/* Between two ticks of the kernel's clock (jiffies): its coarse clocks have this resolution. */
static inline uint64_t clock_tick_ns(void)
{
	struct timespec tick;

	if (clock_getres(CLOCK_MONOTONIC_COARSE, &tick))
		return 0;
	return (uint64_t)tick.tv_sec * NSEC_PER_SEC + (uint64_t)tick.tv_nsec;
}

/* For time limits, where milliseconds are enough. */
static inline int64_t clock_now_ms(void)
{
	return (int64_t)(clock_now_ns() / NSEC_PER_MSEC);
}

static inline struct timespec clock_timespec(uint64_t time_ns)
{
	return (struct timespec){
		.tv_sec = (time_t)(time_ns / NSEC_PER_SEC),
		.tv_nsec = (long)(time_ns % NSEC_PER_SEC),
	};
}

/* Returns at once if the instant has passed. 0, or EINTR: a signal ended the sleep. */
static inline int clock_try_sleep_until(uint64_t time_ns)
{
	struct timespec until = clock_timespec(time_ns);

	return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

static inline void clock_sleep_until(uint64_t time_ns)
{
	while (clock_try_sleep_until(time_ns) == EINTR)
		;
}
