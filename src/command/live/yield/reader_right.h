/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares how much right the thread that reads records has to a CPU. The right changes the policy
 * and the nice value of the thread, and the weight of its control group or autogroup.
 */
#pragma once

#include <stdbool.h>

/*
 * RIGHT_LEAST: a CPU only if no other thread wants it. RIGHT_ORDINARY: as before. RIGHT_FIRST:
 * before all threads without real-time priority, so that what must be done is soon over.
 */
enum right { RIGHT_LEAST, RIGHT_ORDINARY, RIGHT_FIRST };

struct reader_right;

/*
 * The right of the calling thread. It is RIGHT_ORDINARY at first. NULL: no memory, or the thread
 * has another policy already (chrt), or could not come back from SCHED_IDLE.
 */
struct reader_right *reader_right__new(void);

/*
 * By the same thread: gives it a control group of its own, or lets it change the nice value of its
 * autogroup. New threads of a process may not get a real-time priority there. Returns whether it
 * has a group.
 */
bool reader_right__stand_apart(struct reader_right *reader);

/* Any thread may call it. What the kernel refuses is left out (logged as info). */
void reader_right__set(struct reader_right *reader, enum right right);

/* By the same thread, which has RIGHT_ORDINARY: leaves the group. `reader` may be NULL. */
void reader_right__free(struct reader_right *reader);
