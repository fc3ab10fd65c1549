/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Merges the clients of one service that have the same name for the table of services, so that a
 * hundred clients that each call once are one row. A service of several processes is one row, and
 * each of its workers has another one below.
 */
#pragma once

#include "model/summary.h"

/* Fewer clients of one name have a row each. */
#define CLIENTS_ALIKE_MIN 4

struct service_row {
	struct service_summary sum;
	uint32_t clients; /* how many are merged */
	bool is_worker;   /* the row of the service is above */
	uint64_t calls;   /* of the service */
};

/*
 * Services with most calls first. The caller frees them with service_rows_free(). NULL: out of
 * memory, and *cnt is 0.
 */
struct service_row *service_rows_of(const struct calls_summary *calls, uint32_t *cnt);
void service_rows_free(struct service_row *rows, uint32_t cnt);
