/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds out what the server did between a request and its answer, and which calls it made then. */
#pragma once

#include "analysis/attach/calls/call_output.h"

/*
 * The service is cut by the states of the threads that worked on the request, one after the other.
 * Without traced syscalls the service ends when the answer is queued, which on TCP a softirq may do
 * after the sender has left its CPU.
 *
 * Completes the call. 0, -ENOMEM, or what on_service() returned.
 */
int call_service_cut(struct call *call, const struct call_message *answer,
		     const struct call_output *output);

/*
 * The time from one part of the answer to the next, `part`, is the server's, too. What it did is
 * known if one thread has sent both; `answerer` sent the one before. The caller frees
 * `call->between`. 0 or -ENOMEM.
 */
int call_service_between(struct call *call, uint32_t answerer, const struct call_message *part,
			 const struct call_output *output);
