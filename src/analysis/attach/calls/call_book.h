/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Adds up calls for each service and each client process of it. A service is a server process and
 * the name that clients know it by.
 */
#pragma once

#include "model/call.h"
#include "model/summary.h"

/* Pairs of a service and a client; then further clients of a service are added up in one. */
#define CALL_BOOK_PAIRS_MAX 512
_Static_assert(4 * CALL_BOOK_PAIRS_MAX <= SUMMARY_SERVICES_MAX, "services");

struct call_book;

struct call_book *call_book__new(void); /* NULL: out of memory */
void call_book__free(struct call_book *book);

/* The ends of a call, and the services that it is nested in and that it made calls to. */
struct call_ends {
	const char *name; /* what the clients know the server by; borrowed like the others */
	struct end_summary client;
	struct end_summary server;
	bool is_target;            /* the server is one */
	struct end_summary worker; /* has_states: the thread call->worker */
	const char *inside;        /* the service in which it was made; NULL: none is known */
	const char *callee[CALL_CALLEES_MAX]; /* the services that were called in it */
};

/* 0 or -ENOMEM. */
int call_book__add(struct call_book *book, const struct call *call, const struct call_ends *ends);

/*
 * Before call_book__finish(): the longest round trip so far, and the server of that call; `server`
 * is empty if that is not known. 0: no call has come.
 */
uint64_t call_book__slowest(const struct call_book *book, struct end_summary *server);

/* Fills in `service_of` and `service_cnt`. 0 or -ENOMEM. */
int call_book__finish(struct call_book *book, struct calls_summary *calls);
