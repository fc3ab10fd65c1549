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
#define RETURNS_MAX 65536

struct returns;

struct returns *returns__new(void); /* NULL: out of memory */
void returns__free(struct returns *returns);

/* All records of events before this instant have been put: no call is remembered so long. */
void returns__settle(struct returns *returns, uint64_t before_ns);

/* Gets a receive with the instant of its return. 0 or -errno. */
typedef int returns_put_fn(void *ctx, const struct record_receive *receive, size_t change_cnt);

/*
 * Puts the receive, and those of the same call that wait for its return, or lets it wait. 0,
 * -ENOMEM or what `put` returned.
 */
int returns__take(struct returns *returns, const struct record_receive *receive, size_t change_cnt,
		  returns_put_fn *put, void *ctx);

#endif
