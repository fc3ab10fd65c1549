/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps the sums in a hash table by the processes and transports of the hops. */
#include "analysis/attach/chains/chain_book.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

struct hop_key {
	uint32_t sender_pid;
	uint32_t receiver_pid;
	uint32_t transport;
};

struct entry {
	struct hop_key key[CHAIN_HOPS_MAX]; /* 0 past the last hop */
	struct chain_summary sum;
	UT_hash_handle hh;
};

struct chain_book {
	struct entry *entry; /* hash by key */
	uint64_t others;
	chains_end_fn *end;
	void *ctx; /* of that */
};

struct chain_book *chain_book__new(chains_end_fn *end, void *ctx)
{
	struct chain_book *book = calloc(1, sizeof(*book));

	if (!book)
		return NULL;
	book->end = end;
	book->ctx = ctx;
	return book;
}

void chain_book__free(struct chain_book *book)
{
	struct entry *entry, *next;

	if (!book)
		return;
	HASH_ITER (hh, book->entry, entry, next) {
		HASH_DEL(book->entry, entry);
		stat_free(&entry->sum.cycle);
		free(entry);
	}
	free(book);
}

/* NULL: out of memory. */
static struct entry *new_entry(struct chain_book *book, const struct hop_key *key,
			       const struct chain_message *const *message, uint32_t cnt)
{
	struct entry *entry = calloc(1, sizeof(*entry));

	if (!entry)
		return NULL;
	memcpy(entry->key, key, sizeof(entry->key));
	entry->sum.hop_cnt = cnt;
	for (uint32_t i = 0; i < cnt; i++) {
		struct chain_hop *hop = &entry->sum.hop[i];

		hop->channel = message[i]->channel;
		hop->transport = message[i]->transport;
		hop->from = book->end(book->ctx, message[i]->sender_tid, message[i]->send_ns);
		hop->to = book->end(book->ctx, message[i]->receiver_tid, message[i]->recv_ns);
	}
	HASH_ADD(hh, book->entry, key, sizeof(entry->key), entry);
	return entry;
}

static void add_time(struct chain_time *time, uint64_t ns)
{
	time->ns += ns;
	if (ns > time->max_ns)
		time->max_ns = ns;
}

/*
 *	send(i)     recv(i)          send(i+1)     recv(i+1)
 *	  |-- latency --|-- handled -----|-- latency --|
 */
static void add_figures(struct chain_summary *sum, const struct chain_message *const *message)
{
	uint32_t last = sum->hop_cnt - 1;

	sum->count++;
	stat_add(&sum->cycle, message[last]->recv_ns - message[0]->send_ns);
	for (uint32_t i = 0; i <= last; i++) {
		struct chain_hop *hop = &sum->hop[i];

		if (hop->channel != message[i]->channel)
			hop->channel = 0;
		add_time(&hop->latency, message[i]->recv_ns - message[i]->send_ns);
		if (i < last)
			add_time(&hop->handled, message[i + 1]->send_ns - message[i]->recv_ns);
	}
}

int chain_book__add(struct chain_book *book, const struct chain_message *const *message,
		    uint32_t cnt)
{
	struct hop_key key[CHAIN_HOPS_MAX] = {0};
	struct entry *entry;

	for (uint32_t i = 0; i < cnt; i++)
		key[i] = (struct hop_key){message[i]->sender_pid, message[i]->receiver_pid,
					  message[i]->transport};
	HASH_FIND(hh, book->entry, key, sizeof(key), entry);
	if (!entry && HASH_COUNT(book->entry) >= CHAIN_BOOK_MAX) {
		book->others++;
		return 0;
	}
	if (!entry)
		entry = new_entry(book, key, message, cnt);
	if (!entry)
		return -ENOMEM;
	add_figures(&entry->sum, message);
	return 0;
}

/* Among equals the longer one. */
static int most_first(const void *a, const void *b)
{
	const struct chain_summary *x = a, *y = b;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	if (x->hop_cnt != y->hop_cnt)
		return x->hop_cnt < y->hop_cnt ? 1 : -1;
	return (x->hop[0].channel > y->hop[0].channel) - (x->hop[0].channel < y->hop[0].channel);
}

int chain_book__finish(struct chain_book *book, struct summary *summary)
{
	struct entry *entry, *next;

	summary->chain = calloc(HASH_COUNT(book->entry) + 1, sizeof(*summary->chain));
	if (!summary->chain)
		return -ENOMEM;
	HASH_ITER (hh, book->entry, entry, next) {
		summary->chain[summary->chain_cnt++] = entry->sum;
		HASH_DEL(book->entry, entry);
		free(entry);
	}
	summary->chains_other = book->others;
	qsort(summary->chain, summary->chain_cnt, sizeof(*summary->chain), most_first);
	return 0;
}
