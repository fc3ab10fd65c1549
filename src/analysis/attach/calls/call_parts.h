/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares functions that put a call together from the messages of its request and answer. */
#pragma once

#include "analysis/attach/calls/call_output.h"

/* Zero-initialised, the call has no part. */
void call_add_request(struct call *call, const struct call_message *part);
void call_add_answer(struct call *call, const struct call_message *part);

/*
 * A request that was answered before this call had its answer did not wait for it. `parent` is the
 * request that the call seems to have been made for.
 */
void call_check_parent(struct call *call, const struct request_id *parent,
		       const struct call_output *output);
