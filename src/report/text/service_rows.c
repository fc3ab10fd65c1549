/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorts services by name and client, and adds up the clients of one name. */
#include "report/text/service_rows.h"

#include "report/service_sum.h"

#include <stdlib.h>
#include <string.h>

static int by_service(const struct service_summary *x, const struct service_summary *y)
{
	if (x->server.pid != y->server.pid)
		return x->server.pid < y->server.pid ? -1 : 1;
	if (x->transport != y->transport)
		return x->transport < y->transport ? -1 : 1;
	/* Without a number it is of several names. */
	if (!x->client.pid != !y->client.pid)
		return x->client.pid ? -1 : 1;
	return strcmp(x->name, y->name) ?: strcmp(x->client.comm, y->client.comm);
}

static int by_service_and_client(const void *a, const void *b)
{
	const struct service_summary *x = *(struct service_summary *const *)a;
	const struct service_summary *y = *(struct service_summary *const *)b;

	return by_service(x, y)
		       ?: (x->client.pid > y->client.pid) - (x->client.pid < y->client.pid);
}

/* Of the client that has most calls. */
static void take_names(struct service_summary *sum, struct service_summary *const *service,
		       uint32_t cnt)
{
	const struct service_summary *most = service[0];

	for (uint32_t i = 1; i < cnt; i++) {
		if (service[i]->count > most->count)
			most = service[i];
	}
	service_sum_name(sum, most);
	sum->client = most->client;
}

static struct service_row row_of(struct service_summary *const *service, uint32_t cnt)
{
	struct service_row row = {.clients = cnt};

	take_names(&row.sum, service, cnt);
	for (uint32_t i = 0; i < cnt; i++)
		service_sum_add(&row.sum, service[i]);
	service_sum_finish(&row.sum);
	return row;
}

/* How many, in order, go into one row with the first. */
static uint32_t alike(struct service_summary *const *service, uint32_t cnt)
{
	uint32_t same = 1;

	while (same < cnt && !by_service(service[0], service[same]))
		same++;
	return same >= CLIENTS_ALIKE_MIN ? same : 1;
}

static uint64_t calls_of(const struct service_row *row)
{
	return row->sum.count + row->sum.open_several;
}

static int most_calls_first(const void *a, const void *b)
{
	const struct service_row *x = a, *y = b;

	if (calls_of(x) != calls_of(y))
		return calls_of(x) < calls_of(y) ? 1 : -1;
	return by_service(&x->sum, &y->sum);
}

struct service_row *service_rows_of(const struct calls_summary *calls, uint32_t *cnt)
{
	struct service_row *rows = calloc(calls->service_cnt + 1, sizeof(*rows));
	struct service_summary **sorted = calloc(calls->service_cnt + 1, sizeof(*sorted));
	uint32_t same;

	*cnt = 0;
	for (uint32_t i = 0; sorted && i < calls->service_cnt; i++)
		sorted[i] = &calls->service_of[i];
	if (sorted)
		qsort(sorted, calls->service_cnt, sizeof(*sorted), by_service_and_client);
	for (uint32_t i = 0; rows && sorted && i < calls->service_cnt; i += same) {
		same = alike(&sorted[i], calls->service_cnt - i);
		rows[(*cnt)++] = row_of(&sorted[i], same);
	}
	free(sorted);
	if (rows)
		qsort(rows, *cnt, sizeof(*rows), most_calls_first);
	return rows;
}

void service_rows_free(struct service_row *rows, uint32_t cnt)
{
	for (uint32_t i = 0; i < cnt; i++)
		service_sum_clean(&rows[i].sum);
	free(rows);
}
