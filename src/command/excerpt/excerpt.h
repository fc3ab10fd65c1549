/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decides which part of a run goes into a file of limited size, if the whole does not fit: the
 * slowest messages, and what happened around them.
 *
 *	excerpt = excerpt__new(max_bytes, begin_ns);
 *	excerpt__message() and excerpt__moments() for all of the run
 *	excerpt__choose(excerpt, is_selection);
 *	excerpt__has_message() and excerpt__has_moment(), in a second pass
 *
 * How large the parts become is estimated. Its memory does not depend on the length of the run.
 */
#pragma once

#include "model/call.h"
#include "model/spans.h"
#include "model/unit.h"

#define EXCERPT_TEXT_LEN 128

/* What is shown around a slow message, or a selected one, on either side: less in a small file. */
#define EXCERPT_AROUND_NS 5000000ULL

struct excerpt;

/* `begin_ns`: when tracing began; 0: not known. NULL: out of memory. */
struct excerpt *excerpt__new(uint64_t max_bytes, uint64_t begin_ns);
void excerpt__free(struct excerpt *excerpt); /* NULL is ignored */

/* Messages, which pass the caller's selection, in the order of their ends. 0 or -ENOMEM. */
int excerpt__message(struct excerpt *excerpt, const struct message *message);
void excerpt__moments(struct excerpt *excerpt, const struct thread_moments *moments);

/* `is_selection`: the messages were not all, so threads are of interest around them only. 0 or
 * -ENOMEM. */
int excerpt__choose(struct excerpt *excerpt, bool is_selection);

/* "the slowest 812 messages, and 5 ms around each"; empty: all messages fit. */
void excerpt__text(const struct excerpt *excerpt, char text[EXCERPT_TEXT_LEN]);

/* Where something is shown; NULL: everywhere. Borrowed. */
const struct spans *excerpt__spans(const struct excerpt *excerpt);

bool excerpt__has_message(struct excerpt *excerpt, const struct message *message);
bool excerpt__has_call(struct excerpt *excerpt, const struct call *call);
bool excerpt__has_moment(struct excerpt *excerpt, const struct moment *moment);
