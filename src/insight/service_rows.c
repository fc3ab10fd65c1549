/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorts services by name and client, and adds up the clients of one name. */
#include "insight/service_rows.h"

#include "insight/metrics.h"
#include "insight/service_sum.h"

#include <stdlib.h>
#include <string.h>

/* Workers of one service follow one another. */
static int by_service(const struct service_summary *x, const struct service_summary *y)
{
	if (x->transport != y->transport)
		return x->transport < y->transport ? -1 : 1;
	return strcmp(x->name, y->name) ?: strcmp(x->server.comm, y->server.comm);
}

static int by_process(const struct service_summary *x, const struct service_summary *y)
{
	int order = by_service(x, y);

	if (order)
		return order;
	if (x->server.pid != y->server.pid)
		return x->server.pid < y->server.pid ? -1 : 1;
	/* Without a number it is of several names. */
	if (!x->client.pid != !y->client.pid)
		return x->client.pid ? -1 : 1;
	return strcmp(x->client.comm, y->client.comm);
}

static int by_service_and_client(const void *a, const void *b)
{
	const struct service_summary *x = *(struct service_summary *const *)a;
	const struct service_summary *y = *(struct service_summary *const *)b;

	return by_process(x, y)
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

static uint64_t calls_of(const struct service_row *row)
{
	return row->sum.count + row->sum.open_several;
}

static struct service_row row_of(struct service_summary *const *service, uint32_t cnt)
{
	struct service_row row = {.clients = cnt};

	take_names(&row.sum, service, cnt);
	for (uint32_t i = 0; i < cnt; i++)
		service_sum_add(&row.sum, service[i]);
	service_sum_finish(&row.sum);
	row.calls = calls_of(&row);
	return row;
}

/* How many of the first `cnt`, in order, go into one row with the first. */
static uint32_t alike(struct service_summary *const *service, uint32_t cnt)
{
	uint32_t same = 1;

	while (same < cnt && !by_process(service[0], service[same]))
		same++;
	return same >= CLIENTS_ALIKE_MIN ? same : 1;
}

/* How many, in order, are of one service with the first; `*processes`: of so many processes. */
static uint32_t of_service(struct service_summary *const *service, uint32_t cnt,
			   uint32_t *processes)
{
	uint32_t same = 1;

	*processes = 1;
	while (same < cnt && is_same_service(service[0], service[same]) &&
	       !by_service(service[0], service[same])) {
		*processes += service[same]->server.pid != service[same - 1]->server.pid;
		same++;
	}
	return same;
}

static uint32_t of_process(struct service_summary *const *service, uint32_t cnt)
{
	uint32_t same = 1;

	while (same < cnt && service[0]->server.pid == service[same]->server.pid)
		same++;
	return same;
}

/* How many clients call the workers of a service. Without one name they are counted only. */
static uint32_t clients_of(struct service_row *row, struct service_summary *const *service,
			   uint32_t cnt)
{
	uint32_t clients = 0;

	for (uint32_t i = 0; i < cnt; i++) {
		uint32_t k = 0;

		while (k < i && service[k]->client.pid != service[i]->client.pid)
			k++;
		clients += k == i;
		if (strcmp(service[i]->client.comm, service[0]->client.comm))
			row->sum.client.comm[0] = '\0';
	}
	return clients;
}

/* The row of a service, and below it that of each worker. How many rows. */
static uint32_t add_workers(struct service_row *rows, struct service_summary *const *service,
			    uint32_t cnt, uint32_t processes)
{
	uint32_t rows_cnt = 1, same;

	rows[0] = row_of(service, cnt);
	rows[0].sum.processes = processes;
	rows[0].clients = clients_of(&rows[0], service, cnt);
	for (uint32_t i = 0; i < cnt; i += same) {
		same = of_process(&service[i], cnt - i);
		rows[rows_cnt] = row_of(&service[i], same);
		rows[rows_cnt].is_worker = true;
		rows[rows_cnt++].calls = rows[0].calls;
	}
	return rows_cnt;
}

static uint32_t add_clients(struct service_row *rows, struct service_summary *const *service,
			    uint32_t cnt)
{
	uint32_t rows_cnt = 0, same;

	for (uint32_t i = 0; i < cnt; i += same) {
		same = alike(&service[i], cnt - i);
		rows[rows_cnt++] = row_of(&service[i], same);
	}
	return rows_cnt;
}

static int most_calls_first(const void *a, const void *b)
{
	const struct service_row *x = a, *y = b;
	int order = by_service(&x->sum, &y->sum);

	if (x->calls != y->calls)
		return x->calls < y->calls ? 1 : -1;
	if (order || x->is_worker != y->is_worker)
		return order ?: x->is_worker - y->is_worker;
	if (calls_of(x) != calls_of(y))
		return calls_of(x) < calls_of(y) ? 1 : -1;
	return by_process(&x->sum, &y->sum);
}

struct service_row *service_rows_of(const struct calls_summary *calls, uint32_t *cnt)
{
	/* A service of two rows or more has one more. */
	struct service_row *rows = calloc(2 * calls->service_cnt + 1, sizeof(*rows));
	struct service_summary **sorted = calloc(calls->service_cnt + 1, sizeof(*sorted));
	uint32_t same, processes;

	*cnt = 0;
	for (uint32_t i = 0; sorted && i < calls->service_cnt; i++)
		sorted[i] = &calls->service_of[i];
	if (sorted)
		qsort(sorted, calls->service_cnt, sizeof(*sorted), by_service_and_client);
	for (uint32_t i = 0; rows && sorted && i < calls->service_cnt; i += same) {
		same = of_service(&sorted[i], calls->service_cnt - i, &processes);
		*cnt += processes > 1 ? add_workers(rows + *cnt, &sorted[i], same, processes)
				      : add_clients(rows + *cnt, &sorted[i], same);
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
