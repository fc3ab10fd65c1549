/* SPDX-License-Identifier: BSD-2-Clause */
/* Waits until other tests have closed their POSIX queues. */
#include "support/queue_room.h"
#include "util/clock.h"

#include <errno.h>
#include <unistd.h>

#define LIMIT_MS 20000
#define CHECK_US 100000

int64_t queue_room_limit_ms(void)
{
	return clock_now_ms() + LIMIT_MS;
}

bool queue_room_await(int64_t until_ms)
{
	if (errno != EMFILE || clock_now_ms() >= until_ms)
		return false;
	usleep(CHECK_US);
	errno = EMFILE;
	return true;
}
