/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares how a member waits for room for records: in the journals, and in the ring buffer of the
 * kernel's records. Members with a real-time priority may keep all CPUs, so that the driver, which
 * empties both, gets none. They then pause, between two exchanges and never inside one, until the
 * driver has read everything. A pause is counted in the slot of the member.
 */
#pragma once

#include "workload/member/links.h"

/*
 * Pauses until the records that both sides write for one more exchange over this link find room; in
 * a pattern without answers: for one more message. Not for patterns with a tick. Adds the pause to
 * `*paused_ns`: what is due later moves by it. 0, or -EINTR: this member is to end.
 */
int record_room_await(struct links *links, struct link *link, uint64_t *paused_ns);

/* The same for a round of the server of a pattern with a tick. */
int record_room_await_round(struct links *links, uint64_t *paused_ns);

/*
 * For one message of any client, in a member that receives everything that is sent: waits for room
 * in the journals alone, also at the end, as its clients do the rest.
 */
void record_room_await_any(struct links *links);
