/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints what took part: the services that answered calls, with the clients of each; the channels
 * that have the most messages; and a row for each client of rounds or of a run. A service is a
 * server process and the name that its clients know it by. Channels of one service from clients of
 * one name share a row.
 */
#include "insight/channel_rows.h"
#include "insight/metrics.h"
#include "insight/services.h"
#include "model/transport_names.h"
#include "report/text/component_bar.h"
#include "report/text/sections.h"
#include "report/words/summary_words.h"
#include "report/words/labels.h"

#include <math.h>
#include <stdlib.h>

#define LABEL_WIDTH    14
#define CELL_WIDTH     9
#define CHANNELS_SHOWN 12
#define SERVICES_SHOWN 8
#define CLIENT_WIDTH   8
#define CLIENTS_SHOWN  20 /* with more clients only the best and the worst */
#define CLIENTS_ENDS   5

static void more_rows(const struct text *text, uint32_t cnt)
{
	if (cnt)
		fprintf(text->out, "%*sand %u more, see -f json\n", LABEL_WIDTH, "", cnt);
}

static const struct column service_columns[] = {
	{CELL_WIDTH, "calls", NULL},  {CELL_WIDTH, "per s", NULL}, {CELL_WIDTH, "p50", "round"},
	{CELL_WIDTH, "p99", "trip:"}, {CELL_WIDTH, "max", NULL},   {CELL_WIDTH, "mean", "service:"},
	{CELL_WIDTH, "unsure", NULL},
};

/* "redis-server (pid 12) on /run/redis.sock, called by redis-cli (pid 34)", above the figures. */
static void service_title(const struct text *text, const struct summary *summary,
			  const struct service_row *row)
{
	const struct service_summary *service = &row->sum;
	struct paragraph line = {0};

	if (row->is_worker) {
		paragraph_add(&line, "of these, %s", PROCESS(summary, &service->server));
		paragraph_print(text, INK_PLAIN, " ", &line);
		return;
	}
	if (service->processes > 1)
		paragraph_add(&line, "%s (%u processes)", service->server.comm, service->processes);
	else if (service->server.pid)
		paragraph_add(&line, "%s", PROCESS(summary, &service->server));
	else
		paragraph_add(&line, "other services");
	if (service->name[0])
		paragraph_add(&line, " on %s", service->name);
	paragraph_add(&line, ", called by ");
	if (row->clients > 1 && !service->client.comm[0])
		paragraph_add(&line, "%u clients", row->clients);
	else if (row->clients > 1)
		paragraph_add(&line, "%u x %s", row->clients, service->client.comm);
	else if (service->client.pid)
		paragraph_add(&line, "%s", PROCESS(summary, &service->client));
	else
		paragraph_add(&line, "other clients");
	paragraph_print(text, INK_PLAIN, "", &line);
}

/* "with calls of its own to 127.0.0.1:81 open for 97 % of that time", below the figures. */
static void nesting_line(const struct text *text, const struct service_summary *service)
{
	double all_ns = (double)service->service.sum;
	struct paragraph line = {0};

	if (service->callee_cnt && all_ns > 0) {
		paragraph_add(&line, "for %s of its service it has calls of its own open, ",
			      PERCENT((double)service->nested_ns / all_ns));
		callees_words(&line, service);
	}
	if (service->nested)
		paragraph_add(&line, "%s%s of these calls are made in the service of %s",
			      line.length ? "; " : "",
			      PERCENT((double)service->nested /
				      (double)(service->count + service->open_several)),
			      service->inside);
	paragraph_print(text, INK_PLAIN, " ", &line);
}

/* Calls whose answer, request or direction is not certain. */
static uint64_t unsure_of(const struct service_summary *service)
{
	uint64_t doubts =
		service->ambiguous > service->guessed ? service->ambiguous : service->guessed;

	return service->open_several > doubts ? service->open_several : doubts;
}

static void service_row(const struct text *text, const struct summary *summary,
			const struct service_row *row)
{
	const struct service_summary *service = &row->sum;
	double seconds = traced_seconds(summary);
	uint64_t all = service->count + service->open_several;
	double unsure = all ? (double)unsure_of(service) / (double)all : 0;

	service_title(text, summary, row);
	text_label(text, INK_PLAIN, LABEL_WIDTH, "");
	text_count(text, CELL_WIDTH, all);
	text_number(text, CELL_WIDTH, seconds > 0 ? (double)all / seconds : NAN, 0);
	if (service->count) {
		text_stats(text, CELL_WIDTH, &service->round_trip, STATS(50, 99, STAT_MAX));
		text_us(text, CELL_WIDTH, stat_mean(&service->service));
	} else {
		for (int i = 0; i < 4; i++)
			text_cell(text, CELL_WIDTH, "-");
	}
	text_cell(text, CELL_WIDTH, PERCENT(unsure));
	text_newline(text);
	nesting_line(text, service);
}

void text_services(const struct text *text, const struct summary *summary)
{
	const struct calls_summary *calls = &summary->calls;
	struct service_row *row;
	uint32_t cnt, rows;

	if (!calls->service_cnt)
		return;
	row = service_rows_of(calls, &cnt);
	rows = cnt < SERVICES_SHOWN ? cnt : SERVICES_SHOWN;
	text_newline(text);
	text_heading(text, "services (us)", LABEL_WIDTH, service_columns,
		     sizeof(service_columns) / sizeof(service_columns[0]));
	for (uint32_t i = 0; i < rows; i++)
		service_row(text, summary, &row[i]);
	more_rows(text, cnt - rows);
	service_rows_free(row, cnt);
}

static const struct column channel_columns[] = {
	{CELL_WIDTH, "messages", NULL}, {CELL_WIDTH, "calls", NULL}, {CELL_WIDTH, "mean", NULL},
	{CELL_WIDTH, "p99", NULL},      {CELL_WIDTH, "max", NULL},
};

#define CHANNEL_COLUMNS (sizeof(channel_columns) / sizeof(channel_columns[0]))

/* The last column of the page stays free. */
#define BAR_COLUMN (LABEL_WIDTH + (int)CHANNEL_COLUMNS * CELL_WIDTH)

static void parts_bar(const struct text *text, const struct component_sum *sum)
{
	double ns[NR_COMPONENTS];

	for (int i = 0; i < NR_COMPONENTS; i++)
		ns[i] = (double)sum->ns[i];
	begin_bar(text);
	component_bar(text, ns, bar_room(text, BAR_COLUMN + 1, BAR_MAX), false);
}

static const char *parties_or_unknown(const char *name)
{
	return name && name[0] ? name : "?";
}

/* "redis-cli (pid 12)"; "100 x logger" for the clients of several channels. */
static void add_channel_end(struct paragraph *line, const struct summary *summary,
			    const struct channel_summary *channel, bool is_sender)
{
	const struct end_summary end = channel_process(channel, is_sender);
	uint32_t server = is_sender ? ADDRESS_OF_SENDER : ADDRESS_OF_RECEIVER;

	if (channel->folded && !(channel->named & server))
		paragraph_add(line, "%u x %s", channel->folded, parties_or_unknown(end.comm));
	else
		paragraph_add(line, "%s", PROCESS(summary, &end));
}

/* "uds-stream /run/x.sock: client (pid 12) > server (pid 34)", the line above the figures. */
static void channel_title(const struct text *text, const struct summary *summary,
			  const struct channel_summary *channel)
{
	struct paragraph line = {0};

	if (channel->folded && !channel->transport) {
		paragraph_add(&line, "%u other channels", channel->folded);
	} else {
		paragraph_add(&line,
			      "%s %s: ", parties_or_unknown(transport_id_name(channel->transport)),
			      parties_or_unknown(channel->name));
		add_channel_end(&line, summary, channel, true);
		paragraph_add(&line, " > ");
		add_channel_end(&line, summary, channel, false);
	}
	paragraph_print(text, INK_PLAIN, "", &line);
}

static void channel_row(const struct text *text, const struct summary *summary,
			const struct channel_summary *channel)
{
	channel_title(text, summary, channel);
	text_label(text, INK_PLAIN, LABEL_WIDTH, "");
	text_count(text, CELL_WIDTH, channel->messages);
	text_count(text, CELL_WIDTH, channel->calls);
	text_stats(text, CELL_WIDTH, &channel->latency, STATS(STAT_MEAN, 99, STAT_MAX));
	parts_bar(text, &channel->components);
	text_newline(text);
}

void text_channels(const struct text *text, const struct summary *summary)
{
	struct channel_summary *row;
	uint32_t cnt, rows;

	if (!summary->channel_cnt)
		return;
	row = channel_rows_of(summary, &cnt);
	rows = cnt < CHANNELS_SHOWN ? cnt : CHANNELS_SHOWN;
	text_newline(text);
	text_heading(text, "channels (us)", LABEL_WIDTH, channel_columns, CHANNEL_COLUMNS);
	for (uint32_t i = 0; i < rows; i++)
		channel_row(text, summary, &row[i]);
	more_rows(text, cnt - rows);
	channel_rows_free(row, cnt);
	component_legend(text, &summary->info, "  bars");
}

static void mean_cells(const struct text *text, const struct component_sum *sum)
{
	double cnt = (double)sum->count;
	uint64_t context_switch_ns = 0;

	if (!sum->count)
		return;
	for (int i = 0; i < NR_COMPONENTS; i++)
		context_switch_ns += components[i].in_switch ? sum->ns[i] : 0;
	text_us(text, CELL_WIDTH, (double)sum->ns[COMPONENT_DISPATCH] / cnt);
	text_us(text, CELL_WIDTH, (double)context_switch_ns / cnt);
	text_us(text, CELL_WIDTH, (double)sum->ns[COMPONENT_RECEIVE] / cnt);
}

/* All clients of an attach are clients of rounds. */
static bool parties_has_rounds(const struct run_info *info)
{
	return info->mode == MODE_ATTACH || spec_has_rounds(&info->workload);
}

static void pace_cell(const struct text *text, const struct client_summary *client, bool push)
{
	if (push && client->position_cnt)
		text_number(text, CELL_WIDTH,
			    (double)client->position_sum / (double)client->position_cnt, 2);
	else
		text_number(text, CELL_WIDTH,
			    !push && client->time_ns ? (double)client->time_ns / 1e6 : NAN, 1);
}

static void client_row(const struct text *text, const struct client_summary *client,
		       const struct run_info *info)
{
	const struct stat *latency = &client->latency;
	char label[32];

	snprintf(label, sizeof(label), "%6u", client->client);
	text_label(text, INK_PLAIN, CLIENT_WIDTH, label);
	if (!latency->count) {
		fputs("  no message was matched\n", text->out);
		return;
	}
	text_stats(text, CELL_WIDTH, latency, STATS(STAT_MEAN, 50, 99, STAT_MAX));
	pace_cell(text, client, parties_has_rounds(info));
	if (info->traced)
		mean_cells(text, &client->components);
	text_newline(text);
}

/* The best mean first, clients without a message last. */
static int by_mean(const void *a, const void *b)
{
	const struct client_summary *const *left = a;
	const struct client_summary *const *right = b;
	double left_ns = stat_mean(&(*left)->latency);
	double right_ns = stat_mean(&(*right)->latency);

	if (!(*left)->latency.count != !(*right)->latency.count)
		return (*left)->latency.count ? -1 : 1;
	return (left_ns > right_ns) - (left_ns < right_ns);
}

static void best_and_worst(const struct text *text, const struct summary *summary)
{
	const struct client_summary *ranked[CLIENTS_MAX];
	uint32_t cnt = summary->client_cnt < CLIENTS_MAX ? summary->client_cnt : CLIENTS_MAX;

	for (uint32_t i = 0; i < cnt; i++)
		ranked[i] = &summary->client[i];
	qsort(ranked, cnt, sizeof(ranked[0]), by_mean);
	for (uint32_t i = 0; i < CLIENTS_ENDS; i++)
		client_row(text, ranked[i], &summary->info);
	fprintf(text->out, "     ... the %d best by mean above, the %d worst below, %u not shown\n",
		CLIENTS_ENDS, CLIENTS_ENDS, cnt - 2 * CLIENTS_ENDS);
	for (uint32_t i = cnt - CLIENTS_ENDS; i < cnt; i++)
		client_row(text, ranked[i], &summary->info);
}

/* Names of the clients of an attach. The last entry may stand for all further clients. */
static void client_names(const struct text *text, const struct summary *summary)
{
	struct paragraph line = {0};

	for (uint32_t i = 0; i < summary->client_cnt && i < CLIENTS_SHOWN; i++) {
		const struct client_summary *client = &summary->client[i];

		paragraph_add(&line, "%s%u %s", i ? ", " : "", client->client,
			      client->comm[0] ? client->comm : "?");
		if (client->tid)
			paragraph_add(&line, " (%s)", TID(client->tid));
	}
	if (summary->client_cnt > CLIENTS_SHOWN)
		paragraph_add(&line, ", further ones: see -f json");
	paragraph_print(text, INK_PLAIN, "  names", &line);
}

void text_clients(const struct text *text, const struct summary *summary)
{
	bool has_rounds = parties_has_rounds(&summary->info);
	/* Without rounds clients have no position: the time for all their messages is shown. */
	const struct column columns[] = {
		{CELL_WIDTH, "mean", NULL},
		{CELL_WIDTH, "p50", NULL},
		{CELL_WIDTH, "p99", NULL},
		{CELL_WIDTH, "max", NULL},
		{CELL_WIDTH, has_rounds ? "position" : "all ms", NULL},
		{CELL_WIDTH, "dispatch", NULL}, /* if traced */
		{CELL_WIDTH, "switch", "context"},
		{CELL_WIDTH, "receive", NULL},
	};

	if (summary->client_cnt < 2 || !summary->latency.count)
		return;
	text_newline(text);
	text_heading(text, "client", CLIENT_WIDTH, columns, summary->info.traced ? 8 : 5);
	if (summary->client_cnt > CLIENTS_SHOWN) {
		best_and_worst(text, summary);
	} else {
		for (uint32_t i = 0; i < summary->client_cnt; i++)
			client_row(text, &summary->client[i], &summary->info);
	}
	if (summary->info.mode == MODE_ATTACH)
		client_names(text, summary);
}
