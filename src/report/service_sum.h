/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds up the calls of several clients of one service. */
#pragma once

#include "model/summary.h"

/* Adds the figures of `client`; `sum` has names already. service_sum_clean() follows. */
void service_sum_add(struct service_summary *sum, const struct service_summary *client);

/* Sorts what was added in any order. */
void service_sum_finish(struct service_summary *sum);

/* Copies the names of a client's service: those that differ from client to client are its own. */
void service_sum_name(struct service_summary *sum, const struct service_summary *client);

void service_sum_clean(struct service_summary *sum);
