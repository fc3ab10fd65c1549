/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keeps each message for a while. A later message that continues the chain refers to it, so that
 * the chain can be followed back from its last message.
 */
#include "analysis/attach/chains/chains.h"

#include "container/hash_table.h"
#include "container/lru_table.h"
#include "container/step_limit.h"
#include "model/summary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include <utlist.h>

#define CHAIN_BOOK_MAX 64 /* then further chains are only counted */
_Static_assert(CHAIN_BOOK_MAX <= SUMMARY_CHAINS_MAX, "chains");

struct hop_key {
	uint32_t sender_pid;
	uint32_t receiver_pid;
	uint32_t transport;
};

/* The sum of the chains whose hops have these processes and transports. */
struct entry {
	struct hop_key key[CHAIN_HOPS_MAX]; /* 0 past the last hop */
	struct chain_summary sum;
	UT_hash_handle hh;
};

/* The last messages of a thread: one may have been handed out before an earlier send of it. */
#define RECENT 4

/* A message that was received. */
struct link {
	struct chain_message message;
	struct link *before; /* the message that its sender had received; NULL: it begins a chain */
	uint32_t refs;
	uint32_t hops;    /* from the start of the chain to this one */
	bool is_outside;  /* in no chain: an answer, or within a process */
	bool is_closed;   /* its receiver is in the chain already */
	bool is_followed; /* a message follows */
	bool is_answered;
	bool is_counted; /* it waits no longer */
	struct link *prev, *next;
};

struct receiver {
	uint32_t id; /* tid */
	uint32_t used;
	struct link *recent[RECENT]; /* oldest at `at` */
	uint32_t at;
	UT_hash_handle hh;
};

struct chains {
	LRU_TABLE(struct receiver);
	struct link *waiting; /* list, oldest first */
	uint32_t waiting_cnt;
	struct link *spare;  /* by next */
	struct entry *entry; /* hash by key */
	uint64_t others;     /* chains for which there was no room */
	chains_end_fn *end;
	void *ctx; /* of that */
};

/* NULL: out of memory. */
static struct entry *new_entry(struct chains *chains, const struct hop_key *key,
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
		hop->from = chains->end(chains->ctx, message[i]->sender_tid, message[i]->send_ns);
		hop->to = chains->end(chains->ctx, message[i]->receiver_tid, message[i]->recv_ns);
	}
	HASH_ADD(hh, chains->entry, key, sizeof(entry->key), entry);
	return entry;
}

static void chains_add_time(struct chain_time *time, uint64_t ns)
{
	time->ns += ns;
	if (ns > time->max_ns)
		time->max_ns = ns;
}

/*
 *	send(i)     recv(i)          send(i+1)     recv(i+1)
 *	  |-- latency --|-- handled -----|-- latency --|
 */
static void chains_add_figures(struct chain_summary *sum,
			       const struct chain_message *const *message)
{
	uint32_t last = sum->hop_cnt - 1;

	sum->count++;
	stat_add(&sum->cycle, message[last]->recv_ns - message[0]->send_ns);
	for (uint32_t i = 0; i <= last; i++) {
		struct chain_hop *hop = &sum->hop[i];

		if (hop->channel != message[i]->channel)
			hop->channel = 0;
		chains_add_time(&hop->latency, message[i]->recv_ns - message[i]->send_ns);
		if (i < last)
			chains_add_time(&hop->handled,
					message[i + 1]->send_ns - message[i]->recv_ns);
	}
}

/* A chain of at most CHAIN_HOPS_MAX messages. 0 or -ENOMEM. */
static int chains_add(struct chains *chains, const struct chain_message *const *message,
		      uint32_t cnt)
{
	struct hop_key key[CHAIN_HOPS_MAX] = {0};
	struct entry *entry;

	for (uint32_t i = 0; i < cnt; i++)
		key[i] = (struct hop_key){message[i]->sender_pid, message[i]->receiver_pid,
					  message[i]->transport};
	HASH_FIND(hh, chains->entry, key, sizeof(key), entry);
	if (!entry && HASH_COUNT(chains->entry) >= CHAIN_BOOK_MAX) {
		chains->others++;
		return 0;
	}
	if (!entry)
		entry = new_entry(chains, key, message, cnt);
	if (!entry)
		return -ENOMEM;
	chains_add_figures(&entry->sum, message);
	return 0;
}

/* Among equals the longer one. */
static int chains_most_first(const void *a, const void *b)
{
	const struct chain_summary *x = a, *y = b;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	if (x->hop_cnt != y->hop_cnt)
		return x->hop_cnt < y->hop_cnt ? 1 : -1;
	return (x->hop[0].channel > y->hop[0].channel) - (x->hop[0].channel < y->hop[0].channel);
}

struct chains *chains__new(chains_end_fn *end, void *ctx)
{
	struct chains *chains = calloc(1, sizeof(*chains));

	if (!chains)
		return NULL;
	chains->end = end;
	chains->ctx = ctx;
	return chains;
}

static void put_link(struct chains *chains, struct link *link)
{
	while (link && !--link->refs) {
		struct link *before = link->before;

		link->next = chains->spare;
		chains->spare = link;
		link = before;
	}
}

static void forget_receiver(struct chains *chains, struct receiver *receiver)
{
	for (int i = 0; i < RECENT; i++)
		put_link(chains, receiver->recent[i]);
	LRU_DELETE(chains, receiver);
	free(receiver);
}

static struct link *pop_waiting(struct chains *chains)
{
	struct link *oldest = chains->waiting;

	DL_DELETE(chains->waiting, oldest);
	chains->waiting_cnt--;
	return oldest;
}

void chains__free(struct chains *chains)
{
	struct receiver *receiver, *next;
	struct entry *entry, *next_entry;
	struct link *link;

	if (!chains)
		return;
	while (chains->waiting)
		put_link(chains, pop_waiting(chains));
	HASH_ITER (hh, chains->first, receiver, next) {
		forget_receiver(chains, receiver);
	}
	while ((link = chains->spare)) {
		chains->spare = link->next;
		free(link);
	}
	HASH_ITER (hh, chains->entry, entry, next_entry) {
		stat_free(&entry->sum.cycle);
		HASH_DROP(chains->entry, entry);
	}
	free(chains);
}

/*
 * The oldest message: nothing can follow it any more. The user has asked for targets: a chain of
 * other programs alone does not count.
 */
static int count_oldest(struct chains *chains)
{
	const struct chain_message *message[CHAIN_HOPS_MAX];
	struct link *oldest = pop_waiting(chains);
	bool has_target = false;
	int err = 0;

	oldest->is_counted = true;
	if (!oldest->is_outside && !oldest->is_followed && !oldest->is_answered &&
	    oldest->hops > 1) {
		for (const struct link *link = oldest; link; link = link->before) {
			message[link->hops - 1] = &link->message;
			has_target |= link->message.has_target;
		}
		err = has_target ? chains_add(chains, message, oldest->hops) : 0;
	}
	put_link(chains, oldest);
	return err;
}

/*
 * What the thread received last before it sent. NULL: nothing. False: it has received so much since
 * that this is not known any more.
 */
static bool find_before(struct chains *chains, uint32_t tid, uint64_t send_ns, struct link **before)
{
	struct receiver *receiver;

	*before = NULL;
	LRU_FIND(chains, tid, receiver);
	if (!receiver)
		return true;
	for (uint32_t i = 1; i <= RECENT; i++) {
		*before = receiver->recent[(receiver->at + RECENT - i) % RECENT];
		if (!*before || (*before)->message.recv_ns <= send_ns)
			return true;
	}
	*before = NULL;
	return false;
}

enum activity { SLEPT, AWAKE, NOT_KNOWN };

/* What the thread did between its receive and its send. */
static enum activity activity_of(const struct timeline *line, uint64_t from_ns, uint64_t to_ns)
{
	size_t i = timeline_find(line, from_ns);

	if (!i)
		return NOT_KNOWN;
	for (; i < line->cnt && line->change[i].at_ns <= to_ns && step_limit_spend(1); i++) {
		if (!timeline_follows(line, i))
			return NOT_KNOWN;
	}
	return timeline_waited(line, from_ns, to_ns) ? SLEPT : AWAKE;
}

/* Whether the process sent a message of the chain that ends with `last`. */
static bool chains_is_in_chain(const struct link *last, uint32_t pid)
{
	for (; last; last = last->before) {
		if (last->message.sender_pid == pid)
			return true;
	}
	return false;
}

static void chains_follow(struct link *link, struct link *before)
{
	if (link->message.receiver_pid == before->message.sender_pid) {
		before->is_answered = true;
		link->is_outside = true;
	} else if (before->is_outside || before->is_counted) {
		link->is_outside = true;
	} else if (!before->is_closed) {
		before->is_followed = true;
		before->refs++;
		link->before = before;
		link->hops = before->hops + 1;
		link->is_closed = chains_is_in_chain(before, link->message.receiver_pid) ||
				  link->hops == CHAIN_HOPS_MAX;
	}
}

static void chains_place(struct chains *chains, struct link *link, const struct timeline *sender)
{
	const struct chain_message *message = &link->message;
	struct link *before;
	enum activity activity;

	link->hops = 1;
	link->is_outside = !message->sender_pid || !message->receiver_pid ||
			   message->sender_pid == message->receiver_pid;
	if (link->is_outside)
		return;
	if (!find_before(chains, message->sender_tid, message->send_ns, &before)) {
		link->is_outside = true;
		return;
	}
	if (!before)
		return;
	activity = activity_of(sender, before->message.recv_ns, message->send_ns);
	if (activity == NOT_KNOWN)
		link->is_outside = true;
	else if (activity == AWAKE)
		chains_follow(link, before);
}

static struct link *new_link(struct chains *chains, const struct chain_message *message)
{
	struct link *link = chains->spare;

	if (link)
		chains->spare = link->next;
	else
		link = malloc(sizeof(*link));
	if (link)
		*link = (struct link){.message = *message, .refs = 2};
	return link;
}

/* Takes over a reference. 0 or -ENOMEM. */
static int chains_remember(struct chains *chains, struct link *link)
{
	struct receiver *receiver;

	LRU_FIND_OR_ADD(chains, link->message.receiver_tid, receiver, CHAINS_THREADS_MAX,
			forget_receiver);
	if (!receiver) {
		put_link(chains, link);
		return -ENOMEM;
	}
	put_link(chains, receiver->recent[receiver->at]);
	receiver->recent[receiver->at] = link;
	receiver->at = (receiver->at + 1) % RECENT;
	return 0;
}

int chains__message(struct chains *chains, const struct chain_message *message,
		    const struct timeline *sender)
{
	struct link *link;
	int err = 0;

	if (chains->waiting_cnt >= CHAINS_MESSAGES_MAX)
		err = count_oldest(chains);
	link = err ? NULL : new_link(chains, message);
	if (!link)
		return -ENOMEM;
	chains_place(chains, link, sender);
	DL_APPEND(chains->waiting, link);
	chains->waiting_cnt++;
	return chains_remember(chains, link);
}

static int count_before(struct chains *chains, uint64_t before_ns)
{
	int err = 0;

	while (chains->waiting && !err && chains->waiting->message.recv_ns < before_ns)
		err = count_oldest(chains);
	return err;
}

int chains__settle(struct chains *chains, uint64_t before_ns)
{
	/* The last watermark is that of chains__finish(). */
	if (before_ns == UINT64_MAX || before_ns < CHAINS_WAIT_NS)
		return 0;
	return count_before(chains, before_ns - CHAINS_WAIT_NS);
}

int chains__finish(struct chains *chains, struct summary *summary)
{
	int err = count_before(chains, UINT64_MAX);
	struct entry *entry, *next;

	if (err)
		return err;
	summary->chain = calloc(HASH_COUNT(chains->entry) + 1, sizeof(*summary->chain));
	if (!summary->chain)
		return -ENOMEM;
	HASH_ITER (hh, chains->entry, entry, next) {
		summary->chain[summary->chain_cnt++] = entry->sum;
		HASH_DROP(chains->entry, entry);
	}
	summary->chains_other = chains->others;
	qsort(summary->chain, summary->chain_cnt, sizeof(*summary->chain), chains_most_first);
	return 0;
}
