/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Joins sends and receives by channel and position, in whatever order their records come. A message
 * is open until it has been handed out.
 */
#ifndef IPCTRACE_CORE_JOIN_H
#define IPCTRACE_CORE_JOIN_H

#include "bpf/record.h"

#include <stdbool.h>
#include <stddef.h>

#define JOIN_OPEN_MAX (1u << 20)

struct joined {
	bool has_send;
	bool has_receive;
	struct record_send send;
	struct record_receive receive;
	size_t change_cnt; /* of `receive` */
};

struct join;

struct join *join__new(void); /* NULL: out of memory */
void join__free(struct join *join);

/* 0, -ENOMEM, or -ENOSPC: JOIN_OPEN_MAX messages are open, this record is dropped. */
int join__send(struct join *join, const struct record_send *send);
int join__receive(struct join *join, const struct record_receive *receive, size_t change_cnt);

/* Returns whether it has taken the message; if not, it stays open and is offered again. */
typedef bool join_take_fn(void *ctx, const struct joined *message);

/*
 * Offers every message that has both ends and was received before `before_ns`, in the order of its
 * receive. 0 or -ENOMEM.
 */
int join__settle(struct join *join, uint64_t before_ns, join_take_fn *take, void *ctx);

/* Offers every open message, complete or not, in no particular order. */
void join__leftover(struct join *join, join_take_fn *take, void *ctx);

/* No open message was queued before this; 0: cannot be said; UINT64_MAX: none is open. */
uint64_t join__horizon(const struct join *join);

#endif
