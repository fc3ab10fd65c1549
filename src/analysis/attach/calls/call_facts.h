/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Passes on what is known of connections, to a window of a recording and from it. Which end is the
 * client may follow from messages before the window.
 */
#pragma once

#include "analysis/attach/calls/call_matcher.h"
#include "model/window_records.h"

/* 0, or an error, which ends the iteration. */
typedef int call_fact_fn(void *ctx, const struct record *record);

/* Calls `fn` with a CONNECTION record for each connection. 0, or what it returned. */
int call_facts_each(const struct call_matcher *matcher, call_fact_fn *fn, void *ctx);

/* Before the first message of the connection. 0 or -ENOMEM. */
int call_facts_add(struct call_matcher *matcher, const struct record_connection *record);
