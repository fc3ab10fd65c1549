/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Adds up the system calls that have failed, of each thread by number, errno and socket (level
 * deep). A socket is one of a channel, if an ADDRESS shows which.
 */
#pragma once

#include "analysis/attach/threads.h"
#include "bpf/deep.h"
#include "bpf/record.h"
#include "model/summary.h"

/* Sockets of channels, and sums, that are remembered. Then the oldest one is forgotten. */
#define FAILING_SOCKETS_MAX 16384
#define FAILING_SUMS_MAX    4096

struct failing;

struct failing *failing__new(void); /* NULL: out of memory */
void failing__free(struct failing *failing);

/* In any order. 0 or -ENOMEM. */
int failing__address(struct failing *failing, const struct record_address *address);
int failing__add(struct failing *failing, const struct record_failed *record);

/* Fills in the list of the summary, which the summary owns. 0 or -ENOMEM. */
int failing__finish(const struct failing *failing, const struct naming *naming,
		    struct summary *summary);
