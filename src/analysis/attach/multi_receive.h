/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attach: one call may take several messages (recvmmsg, io_uring). All but the last of them are
 * told of before it returns; when it does is in the record of the last. A thread may change its CPU
 * in between, and one CPU's records overtake another's: then the last comes first.
 */
#ifndef IPCTRACE_ANALYSIS_ATTACH_MULTI_RECEIVE_H
#define IPCTRACE_ANALYSIS_ATTACH_MULTI_RECEIVE_H

#include "bpf/record.h"

#include <stddef.h>

/*
 * Receives of calls whose return has not come, and calls that are remembered after their return;
 * when there are more of either, the oldest are forgotten.
 */
#define MULTI_RECEIVE_MAX 65536

struct multi_receive;

struct multi_receive *multi_receive__new(void); /* NULL: out of memory */
void multi_receive__free(struct multi_receive *returns);

/* All records of events before this instant have been put: no call is remembered so long. */
void multi_receive__settle(struct multi_receive *returns, uint64_t before_ns);

/* Gets a receive with the instant of its return. 0 or -errno. */
typedef int multi_receive_put_fn(void *ctx, const struct record_receive *receive,
				 size_t change_cnt);

/*
 * Puts the receive, and those of the same call that wait for its return, or lets it wait. 0,
 * -ENOMEM or what `put` returned.
 */
int multi_receive__take(struct multi_receive *returns, const struct record_receive *receive,
			size_t change_cnt, multi_receive_put_fn *put, void *ctx);

#endif
