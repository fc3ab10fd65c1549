/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes units of calls. The parts of a call are kept until the call is complete. */
#pragma once

#include "model/call.h"

struct analysis;
struct service_path;

/* Keeps the unit of a message, which may be a part of a call. 0 or -ENOMEM. */
int call_units_message(struct analysis *a, const struct message *message);

/*
 * Attach: the call has an answer now. `path`: the threads that worked on it; without parts it is
 * not known. 0 or -ENOMEM.
 */
int call_units_service(struct analysis *a, const struct call *call,
		       const struct service_path *path);

/* Attach: the call is complete. 0, -ENOMEM, or what `on_unit` returned. */
int call_units_call(struct analysis *a, const struct call *call);

/* Run: the same, and thread `server` served it. */
int call_units_stamps(struct analysis *a, const struct record_stamp *request,
		      const struct record_stamp *response, uint32_t server);
