/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the busiest service, adds up the calls of its clients, and puts these in the place of all
 * calls. Sorts services by name and client for their table.
 */
#include "insight/services.h"

#include "insight/metrics.h"

#include <stdlib.h>
#include <string.h>

#define ONLY_SHARE 0.9 /* of all calls */

/*
 * With fewer of all calls, what targets serve is not what they are for. Otherwise the calls that
 * they make themselves, but in no service, say little: they may wait for work.
 */
#define TARGETS_SHARE 0.1

bool is_same_service(const struct service_summary *a, const struct service_summary *b)
{
	if (strcmp(a->name, b->name))
		return false;
	if (a->server.pid == b->server.pid)
		return true;
	return a->name[0] && a->server.pid && b->server.pid &&
	       !compare_programs(a->server.comm, b->server.comm);
}

bool is_call_to_itself(const struct calls_summary *calls, const struct service_summary *service)
{
	uint32_t client = service->client.pid;

	if (!client || client == service->server.pid)
		return client;
	for (uint32_t i = 0; i < calls->service_cnt; i++) {
		if (calls->service_of[i].server.pid == client &&
		    is_same_service(&calls->service_of[i], service))
			return true;
	}
	return false;
}

/* Whether no row before this one is of the same process of the service. */
static bool is_first_of_process(const struct calls_summary *calls, uint32_t i)
{
	const struct service_summary *service = calls->service_of;

	for (uint32_t k = 0; k < i; k++) {
		if (service[k].server.pid == service[i].server.pid &&
		    is_same_service(&service[k], &service[i]))
			return false;
	}
	return true;
}

uint32_t service_processes(const struct calls_summary *calls, const struct service_summary *service)
{
	uint32_t cnt = 0;

	for (uint32_t i = 0; i < calls->service_cnt; i++)
		cnt += is_same_service(&calls->service_of[i], service) &&
		       is_first_of_process(calls, i);
	return cnt ?: 1;
}

/* The time in calls of all its clients; 0 if most of these calls are made in other services. */
static double service_time_ns(const struct calls_summary *calls,
			      const struct service_summary *service, bool counts_nested)
{
	double ns = 0, cnt = 0, nested = 0;

	for (uint32_t i = 0; i < calls->service_cnt; i++) {
		const struct service_summary *client = &calls->service_of[i];

		if (!is_same_service(client, service))
			continue;
		ns += (double)client->round_trip.sum;
		cnt += (double)client->count;
		nested += (double)client->nested;
	}
	return counts_nested || nested <= cnt / 2 ? ns : 0;
}

/* Whether targets serve so many of the calls that the others are what they do besides. */
static bool are_of_targets(const struct calls_summary *calls)
{
	double of_targets = 0, all = 0;

	for (uint32_t i = 0; i < calls->service_cnt; i++) {
		const struct service_summary *client = &calls->service_of[i];
		double cnt = client->nested <= client->count / 2 ? (double)client->count : 0;

		all += cnt;
		of_targets += client->is_target ? cnt : 0;
	}
	return of_targets > 0 && of_targets >= TARGETS_SHARE * all;
}

static const struct service_summary *busiest_of(const struct calls_summary *calls,
						bool counts_nested, bool counts_untimed)
{
	bool of_targets = are_of_targets(calls);
	const struct service_summary *busiest = NULL;
	double most_ns = 0;

	for (uint32_t i = 0; i < calls->service_cnt; i++) {
		const struct service_summary *client = &calls->service_of[i];
		double ns = client->count ? service_time_ns(calls, client, counts_nested) : 0;
		/* The calls with known parts stand for the others. */
		bool is_timed = (double)client->count >=
				KNOWN_CALLS * (double)(client->count + client->open_several);

		if (ns < most_ns || ns <= 0 || !(counts_untimed || is_timed) ||
		    (of_targets && !client->is_target))
			continue;
		if (ns > most_ns || client->round_trip.sum > busiest->round_trip.sum)
			busiest = client;
		most_ns = ns;
	}
	return busiest;
}

const struct service_summary *busiest_service(const struct calls_summary *calls)
{
	return busiest_of(calls, false, false)
		       ?: busiest_of(calls, false, true) ?: busiest_of(calls, true, true);
}

/* No client calls the service there, but the service itself does. */
static bool is_called_by_itself_alone(const struct calls_summary *calls,
				      const struct service_summary *service)
{
	for (uint32_t i = 0; i < calls->service_cnt; i++) {
		const struct service_summary *client = &calls->service_of[i];

		if (is_same_service(client, service) && !is_call_to_itself(calls, client))
			return false;
	}
	return true;
}

/* Whether it has nearly all calls and their time, so that the figures of all calls are its own. */
static bool is_only_service(const struct calls_summary *calls,
			    const struct service_summary *service)
{
	bool is_alone = is_called_by_itself_alone(calls, service);
	uint64_t cnt = 0, seen = 0;
	double ns = 0;

	for (uint32_t i = 0; i < calls->service_cnt; i++) {
		const struct service_summary *one = &calls->service_of[i];

		if (!is_same_service(one, service) || is_call_to_itself(calls, one) != is_alone)
			continue;
		cnt += one->count;
		seen += one->count + one->open_several;
		ns += (double)one->round_trip.sum;
	}
	return (double)cnt >= ONLY_SHARE * (double)calls->count &&
	       (double)seen >= ONLY_SHARE * (double)calls_seen(calls) &&
	       ns >= ONLY_SHARE * (double)calls->round_trip.sum;
}

/* Adds the figures of `client`; `sum` has names already. service_sum_clean() follows. */
static void service_sum_add(struct service_summary *sum, const struct service_summary *client)
{
	sum->count += client->count;
	sum->open_several += client->open_several;
	sum->ambiguous += client->ambiguous;
	sum->guessed += client->guessed;
	stat_merge(&sum->round_trip, &client->round_trip);
	stat_merge(&sum->request, &client->request);
	stat_merge(&sum->service, &client->service);
	stat_merge(&sum->response, &client->response);
	sum->state_cnt += client->state_cnt;
	for (int i = 0; i < NR_SERVICE_STATES; i++)
		sum->state_ns[i] += client->state_ns[i];
	blocked_calls_merge(&sum->blocked, &client->blocked);
	blame_top_add(&sum->blame, client->blame.entry, client->blame.cnt);
	answer_parts_merge(&sum->parts, &client->parts);
	component_sum_merge(&sum->components, &client->components);
	if (client->worker.tid == sum->worker.tid)
		sum->worker_calls += client->worker_calls;
	sum->nested += client->nested;
	sum->nests += client->nests;
	sum->nested_ns += client->nested_ns;
	for (uint32_t i = 0; i < client->callee_cnt; i++) {
		const struct callee_summary *callee = &client->callee[i];

		service_callee_add(sum, callee->name, callee->calls, callee->ns);
	}
}

/* Sorts what was added in any order. */
static void service_sum_finish(struct service_summary *sum)
{
	blocked_calls_sort(&sum->blocked);
	blame_top_sort(&sum->blame);
	server_time_sort(&sum->parts.did);
	service_callees_sort(sum);
}

uint32_t service_sum_add_clients(struct service_summary *sum, const struct calls_summary *calls)
{
	bool is_alone = is_called_by_itself_alone(calls, sum);
	uint32_t cnt = 0;

	for (uint32_t i = 0; i < calls->service_cnt; i++) {
		const struct service_summary *client = &calls->service_of[i];

		if (!is_same_service(client, sum) || is_call_to_itself(calls, client) != is_alone)
			continue;
		service_sum_add(sum, client);
		cnt++;
	}
	service_sum_finish(sum);
	return cnt;
}

void service_sum_name(struct service_summary *sum, const struct service_summary *client)
{
	sum->server = client->server;
	sum->transport = client->transport;
	sum->worker = client->worker;
	memcpy(sum->name, client->name, sizeof(sum->name));
	memcpy(sum->inside, client->inside, sizeof(sum->inside));
}

void service_sum_clean(struct service_summary *sum)
{
	stat_free(&sum->round_trip);
	stat_free(&sum->request);
	stat_free(&sum->service);
	stat_free(&sum->response);
}

/* Workers of one service follow one another. */
static int by_service(const struct service_summary *x, const struct service_summary *y)
{
	if (x->transport != y->transport)
		return x->transport < y->transport ? -1 : 1;
	return strcmp(x->name, y->name) ?: compare_programs(x->server.comm, y->server.comm);
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

static struct service_row services_row_of(struct service_summary *const *service, uint32_t cnt)
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
static uint32_t services_alike(struct service_summary *const *service, uint32_t cnt)
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
static uint32_t services_clients_of(struct service_row *row, struct service_summary *const *service,
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
static uint32_t services_add_workers(struct service_row *rows,
				     struct service_summary *const *service, uint32_t cnt,
				     uint32_t processes)
{
	uint32_t rows_cnt = 1, same;

	rows[0] = services_row_of(service, cnt);
	rows[0].sum.processes = processes;
	rows[0].clients = services_clients_of(&rows[0], service, cnt);
	for (uint32_t i = 0; i < cnt; i += same) {
		same = of_process(&service[i], cnt - i);
		rows[rows_cnt] = services_row_of(&service[i], same);
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
		same = services_alike(&service[i], cnt - i);
		rows[rows_cnt++] = services_row_of(&service[i], same);
	}
	return rows_cnt;
}

static int services_most_calls_first(const void *a, const void *b)
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
		*cnt += processes > 1
				? services_add_workers(rows + *cnt, &sorted[i], same, processes)
				: add_clients(rows + *cnt, &sorted[i], same);
	}
	free(sorted);
	if (rows)
		qsort(rows, *cnt, sizeof(*rows), services_most_calls_first);
	return rows;
}

void service_rows_free(struct service_row *rows, uint32_t cnt)
{
	for (uint32_t i = 0; i < cnt; i++)
		service_sum_clean(&rows[i].sum);
	free(rows);
}

struct blame_list blame_of_messages(const struct summary *summary)
{
	return (struct blame_list){summary->blame, summary->blame_cnt};
}

struct blame_list blame_of_services(const struct summary *summary)
{
	return (struct blame_list){summary->calls.blame, summary->calls.blame_cnt};
}

/* What the summary knows of this culprit: its process, and its relation to the target. */
static const struct blame_summary *known_blame(struct blame_list list, const struct blame *blame)
{
	for (uint32_t i = 0; i < list.cnt; i++) {
		const struct blame *one = &list.blame[i].total;

		if (one->class == blame->class && one->kind == blame->kind &&
		    one->tid == blame->tid && !strcmp(one->comm, blame->comm))
			return &list.blame[i];
	}
	return NULL;
}

struct blame_list blame_of_top(const struct summary *summary, const struct blame_top *top,
			       double all_ns, struct blame_summary blame[BLAME_TOP_MAX + 1])
{
	struct blame others = {.class = BLAME_TASK, .kind = NR_SLICE_KINDS, .comm = "others"};
	struct blame_list list = {.blame = blame};

	for (uint32_t i = 0; i < top->cnt; i++) {
		const struct blame *entry = &top->entry[i];
		const struct blame_summary *known =
			known_blame(blame_of_services(summary), entry)
				?: known_blame(blame_of_messages(summary), entry);

		blame[list.cnt] = (struct blame_summary){.total = *entry};
		if (known) {
			blame[list.cnt].relation = known->relation;
			blame[list.cnt].pid = known->pid;
			memcpy(blame[list.cnt].process, known->process, sizeof(known->process));
		}
		list.cnt++;
		all_ns -= (double)entry->ns;
	}
	others.ns = list.cnt && all_ns > 0 ? (uint64_t)all_ns : 0;
	if (others.ns)
		blame[list.cnt++] = (struct blame_summary){.total = others, .folded = 1};
	return list;
}

/* Recordings before version 11 lack what is needed of each service. */
bool is_one_of_several(const struct calls_summary *calls)
{
	const struct service_summary *busiest = busiest_service(calls);

	return busiest && !is_only_service(calls, busiest) && busiest->request.count;
}
