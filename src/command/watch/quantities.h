/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the quantities of messages, calls and rounds, which conditions compare. In a run a call is
 * a request of a client and its answer, which are two messages.
 */
#pragma once

#include "model/call.h"
#include "model/condition.h"
#include "model/spec.h"

/* Messages of a round that are remembered; further ones have no place in it. */
#define ROUND_MESSAGES_MAX 1024

/* Where the quantities belong to. */
struct occasion {
	struct quantities quantities;
	uint32_t channel;
	uint32_t tid;      /* of the receiver, or the client */
	uint64_t position; /* of the message, or the last one of the request */
	bool is_call;
	uint64_t from_ns;
	uint64_t at_ns;   /* the end */
	bool is_of_round; /* it comes again, with its round; the rest is for that: */
	bool was_true;    /* the first time, as the caller has said */
	char *note;       /* the caller's; NULL: none */
};

/* 0 or -errno. */
typedef int occasion_fn(void *ctx, const struct occasion *occasion);

struct quantity_finder;

/* `info` is borrowed. NULL: out of memory. */
struct quantity_finder *quantity_finder__new(const struct run_info *info, occasion_fn *fn,
					     void *ctx);
void quantity_finder__free(struct quantity_finder *finder);

/* A TICK of a run; others are ignored. */
void quantity_finder__record(struct quantity_finder *finder, const struct record *record);

/* These call `fn` and return what it returned. */
int quantity_finder__message(struct quantity_finder *finder, const struct message *message);
int quantity_finder__call(struct quantity_finder *finder, const struct call *call);

/*
 * A message of a round, again. When its round is complete, `fn` gets all messages of the round with
 * QUANTITY_FIRST, NEXT and LAST, and with what is given here. `note` is freed.
 */
int quantity_finder__in_round(struct quantity_finder *finder, const struct message *message,
			      bool was_true, char *note);

/* No message follows: the last round is complete. */
int quantity_finder__finish(struct quantity_finder *finder);
