/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the filter of the report: which messages and calls of a run are shown. The slowest ones
 * are known only after all have been ranked:
 *
 *	filter = message_filter__new(options, info);
 *	if (message_filter__needs_ranks(filter)) {
 *		message_filter__rank_message() and message_filter__rank_call() for all of the run
 *	}
 *	message_filter__passes_message() and message_filter__passes_call()
 */
#pragma once

#include "cli/options.h"
#include "model/call.h"
#include "model/message.h"

struct message_filter;

/* What --around shows before and after its instant. */
#define AROUND_NS 5000000ULL

/* NULL and errno on failure (logged, but for ENOMEM). Owns nothing of the arguments. */
struct message_filter *message_filter__new(const struct select_options *options,
					   const struct run_info *info);
void message_filter__free(struct message_filter *filter);

/*
 * Before all else: the instant of --around is that of a message. All messages of the run have to be
 * looked at, until it is found: then true.
 */
bool message_filter__needs_search(const struct message_filter *filter);
bool message_filter__search(struct message_filter *filter, const struct message *message);

bool message_filter__needs_ranks(const struct message_filter *filter);

/*
 * For struct analysis_request, with the filter as `ctx`. Messages have their unit. 0 or -ENOMEM.
 */
int message_filter__rank_message(void *filter, const struct message *message);
int message_filter__rank_call(void *filter, const struct call *call);

bool message_filter__passes_message(struct message_filter *filter, const struct message *message);
bool message_filter__passes_call(struct message_filter *filter, const struct call *call);

/* The selection in the words of the options: "slowest 1%, channel 7". */
void select_text(const struct select_options *options, char text[SELECT_TEXT_LEN]);
