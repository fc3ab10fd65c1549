/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keeps the pairs of requests and answers of a connection while several requests are open:
 *
 *	requests    1   2       3               4
 *	answers             .       .   .
 *	open      0 1   2   1   2   1   0       1
 *	          `------ a phase -----'
 *
 * Each answer is paired with the oldest open request, and may belong to another one. The mean of a
 * phase is right all the same, but only if each of its messages has its counterpart in the phase: a
 * single one without shifts all later pairs. So a phase gives times if no request is open at its
 * end, and no answer was left over until the next request. Of any other phase the calls are counted
 * (CALL_UNBALANCED).
 */
#pragma once

#include "analysis/attach/calls/call_output.h"

/* A longer phase gives no times. */
#define SEVERAL_PAIRS_MAX 4096

struct call_pair {
	struct call_message request;
	struct call_message answer;
};

/* Zero-initialised is empty. */
struct several {
	struct call_pair *pair; /* [cnt], owned */
	size_t cnt, room;
	uint64_t back_ns; /* the last answer before these came back */
	uint32_t unasked; /* answers without an open request since the connection was at rest */
	bool has_no_balance;
};

/* 0 or -ENOMEM, or what on_call() returned. */
int several_add(struct several *several, const struct call_message *request,
		const struct call_message *answer, const struct call_output *output);

/* A request was forgotten, or the phase is too long. Returns as several_add(). */
int several_give_up(struct several *several, const struct call_output *output);

/*
 * A phase ends. `is_at_rest`: no request is open. If each request was sent after the answer to the
 * one before, no two requests were open at the same time: such calls are CALL_ALONE. Returns as
 * several_add().
 */
int several_end(struct several *several, bool is_at_rest, const struct call_output *output);

/* Forgets all pairs, and frees what it owns. */
void several_clear(struct several *several);
