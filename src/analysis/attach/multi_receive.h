/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds receives until their call returns. One call may receive several messages (recvmmsg,
 * io_uring). Each message has a RECEIVE record, but only the last record of a call says when the
 * call returned. If the thread moves to another CPU during the call, the last record may arrive
 * first.
 *
 *	recvmmsg   |-- message 1 -- message 2 -- message 3 --| returns
 *	records        without exit_ns                exit_ns of all three
 */
#pragma once

#include "bpf/record.h"

#include <stddef.h>

/*
 * Receives that wait for the return of their call, and calls that are remembered after their
 * return; beyond that the oldest are forgotten.
 */
#define MULTI_RECEIVE_MAX 65536

struct multi_receive;

struct multi_receive *multi_receive__new(void); /* NULL: out of memory */
void multi_receive__free(struct multi_receive *calls);

/* All records of events before this instant have come: forgets the calls that had returned. */
void multi_receive__settle(struct multi_receive *calls, uint64_t before_ns);

/* Gets a receive with the instant of its return. 0 or -errno. */
typedef int multi_receive_put_fn(void *ctx, const struct record_receive *receive,
				 size_t change_cnt);

/*
 * Puts the receive, and those of the same call that waited for its return; or lets it wait. 0,
 * -ENOMEM or what `put` returned.
 */
int multi_receive__take(struct multi_receive *calls, const struct record_receive *receive,
			size_t change_cnt, multi_receive_put_fn *put, void *ctx);
