/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds up chains of messages that went the same way, from process to process. */
#pragma once

#include "analysis/attach/chains/chain_message.h"
#include "model/summary.h"

#define CHAIN_BOOK_MAX 64 /* then further chains are only counted */
_Static_assert(CHAIN_BOOK_MAX <= SUMMARY_CHAINS_MAX, "chains");

struct chain_book;

/* NULL: out of memory. */
struct chain_book *chain_book__new(chains_end_fn *end, void *ctx);
void chain_book__free(struct chain_book *book);

/* A chain of at most CHAIN_HOPS_MAX messages. 0 or -ENOMEM. */
int chain_book__add(struct chain_book *book, const struct chain_message *const *message,
		    uint32_t cnt);

/* Fills in `chain`, `chain_cnt` and `chains_other`. 0 or -ENOMEM. */
int chain_book__finish(struct chain_book *book, struct summary *summary);
