/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lets tests that create POSIX queues try again. All POSIX queues of a user together may only have
 * so many bytes (RLIMIT_MSGQUEUE), which tests that run beside this one use up at times.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* When to give up, as clock_now_ms() counts: 20 s from now. */
int64_t queue_room_limit_ms(void);

/*
 * After a failure, by errno: waits a moment if there was no room (EMFILE), and returns whether to
 * try again. False: it was another error, or `until_ms` is over. Keeps errno.
 */
bool queue_room_await(int64_t until_ms);
