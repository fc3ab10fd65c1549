/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Draws the latencies of clients as points on one logarithmic axis: half of the messages, 99 % and
 * all of them take at most so long. Many clients are put together in the order of their numbers. An
 * attach has a row for each channel, too.
 */
#include "report/figure/rows/points.h"
#include "report/words/labels.h"
#include "insight/metrics.h"
#include "insight/channel_rows.h"

#include <math.h>
#include <stdlib.h>

#define CLIENT_ROWS_MAX  32
#define CHANNEL_ROWS_MAX 20
#define ROWS_MAX         (CLIENT_ROWS_MAX + CHANNEL_ROWS_MAX)
#define NAME_SHORT       90  /* room for "client 1000" */
#define NAME_LONG        400 /* for two processes and a channel */
#define NOTE_WIDTH       70

struct client_row {
	struct point_row point;
	uint32_t first; /* clients, by number; 0: a channel */
	uint32_t last;
	struct stat latency; /* owned */
};

struct client_rows {
	struct client_row row[ROWS_MAX];
	uint32_t client_cnt;
	uint32_t cnt; /* with the channels, which come last */
	uint32_t channels_more;
};

/* Mean position in the order of service, of several clients together. */
static void position_note(const struct summary *summary, struct client_row *row)
{
	uint64_t sum = 0, cnt = 0;

	for (uint32_t i = 0; i < summary->client_cnt; i++) {
		const struct client_summary *client = &summary->client[i];

		if (client->client < row->first || client->client > row->last)
			continue;
		sum += client->position_sum;
		cnt += client->position_cnt;
	}
	if (cnt)
		snprintf(row->point.note, sizeof(row->point.note), "place %.1f",
			 (double)sum / (double)cnt);
}

static void client_name(const struct summary *summary, const struct client_summary *first,
			struct client_row *row)
{
	bool has_name = summary->info.mode == MODE_ATTACH && first->comm[0];

	if (row->first != row->last)
		snprintf(row->point.name, sizeof(row->point.name), "clients %u–%u", row->first,
			 row->last);
	else
		snprintf(row->point.name, sizeof(row->point.name), "client %u%s%.*s", row->first,
			 has_name ? " " : "", RECORD_COMM_LEN, has_name ? first->comm : "");
}

static void add_clients(const struct summary *summary, struct client_rows *rows)
{
	uint32_t each = (summary->client_cnt + CLIENT_ROWS_MAX - 1) / CLIENT_ROWS_MAX;

	if (summary->client_cnt < 2 || rounds_are_marginal(summary))
		return;
	for (uint32_t i = 0; i < summary->client_cnt; i += each) {
		struct client_row *row = &rows->row[rows->cnt++];
		uint32_t end = i + each < summary->client_cnt ? i + each : summary->client_cnt;

		row->first = summary->client[i].client;
		row->last = summary->client[end - 1].client;
		client_name(summary, &summary->client[i], row);
		for (uint32_t k = i; k < end; k++)
			stat_merge(&row->latency, &summary->client[k].latency);
		position_note(summary, row);
	}
	rows->client_cnt = rows->cnt;
}

/* "redis-cli → redis-server", "uds-stream /run/x.sock" */
static void channel_name(const struct summary *summary, const struct channel_summary *channel,
			 struct client_row *row)
{
	const struct end_summary sender = channel_process(channel, true);
	const struct end_summary receiver = channel_process(channel, false);
	char from[NAME_LEN], to[NAME_LEN];

	process_name(summary, &sender, from);
	process_name(summary, &receiver, to);
	if (!channel->transport) {
		snprintf(row->point.name, sizeof(row->point.name), "%u other channels",
			 channel->folded);
		return;
	}
	snprintf(row->point.name, sizeof(row->point.name), "%s → %s", from, to);
	over_words(channel->transport, channel->name, row->point.more);
}

static void add_channels(const struct summary *summary, struct client_rows *rows)
{
	uint32_t cnt;
	struct channel_summary *channel = channel_rows_of(summary, &cnt);

	for (uint32_t i = 0; i < cnt; i++) {
		struct client_row *row = &rows->row[rows->cnt];

		if (rows->cnt - rows->client_cnt == CHANNEL_ROWS_MAX) {
			rows->channels_more += channel[i].folded ?: 1;
			continue;
		}
		channel_name(summary, &channel[i], row);
		snprintf(row->point.note, sizeof(row->point.note), "%s msg",
			 COUNT_TEXT((double)channel[i].messages));
		stat_merge(&row->latency, &channel[i].latency);
		rows->cnt++;
	}
	channel_rows_free(channel, cnt);
}

/* NULL: out of memory, or there are none. */
static struct client_rows *rows_of(const struct summary *summary)
{
	struct client_rows *rows = calloc(1, sizeof(*rows));

	if (!rows)
		return NULL;
	add_clients(summary, rows);
	if (summary->channel_cnt)
		add_channels(summary, rows);
	return rows;
}

static void client_rows_free(struct client_rows *rows)
{
	for (uint32_t i = 0; rows && i < rows->cnt; i++)
		stat_free(&rows->row[i].latency);
	free(rows);
}

static bool applies(const struct illustration *illustration)
{
	const struct summary *summary = illustration->summary;

	return summary->latency.count && (summary->client_cnt > 1 || summary->channel_cnt);
}

static void clients_words(const struct client_rows *rows, char *text, size_t size)
{
	const struct client_row *least = NULL, *most = NULL, *worst = NULL;

	for (uint32_t i = 0; i < rows->client_cnt; i++) {
		const struct client_row *row = &rows->row[i];
		uint64_t p50 = stat_percentile(&row->latency, 50);

		if (!row->latency.count)
			continue;
		if (!least || p50 < stat_percentile(&least->latency, 50))
			least = row;
		if (!most || p50 > stat_percentile(&most->latency, 50))
			most = row;
		if (!worst || row->latency.max > worst->latency.max)
			worst = row;
	}
	if (least)
		snprintf(text, size,
			 "Half of the messages take at most %s at %s, where it is least, and %s at "
			 "%s, where it is most. The longest one took %s, at %s.",
			 NS_TEXT((double)stat_percentile(&least->latency, 50)), least->point.name,
			 NS_TEXT((double)stat_percentile(&most->latency, 50)), most->point.name,
			 NS_TEXT((double)worst->latency.max), worst->point.name);
	else
		snprintf(text, size, "No message of a client was matched.");
}

static void channels_words(const struct client_rows *rows, char *text, size_t size)
{
	const struct client_row *first = &rows->row[rows->client_cnt];

	snprintf(text, size,
		 "On the channel with most messages (%s%s%s), half of them take at most %s, 99 %% "
		 "at most %s.",
		 first->point.name, first->point.more[0] ? ", " : "", first->point.more,
		 NS_TEXT((double)stat_percentile(&first->latency, 50)),
		 NS_TEXT((double)stat_percentile(&first->latency, 99)));
}

static void describe(const struct illustration *illustration, char *text, size_t size)
{
	struct client_rows *rows = rows_of(illustration->summary);

	if (rows && rows->client_cnt)
		clients_words(rows, text, size);
	else if (rows && rows->cnt)
		channels_words(rows, text, size);
	else
		snprintf(text, size, "There are no clients to show.");
	client_rows_free(rows);
}

static void put_data(const struct canvas *canvas, const struct point_row *point)
{
	const struct client_row *row = point->of;
	const struct stat *latency = &row->latency;

	if (row->first)
		data_count(canvas, "first", row->first);
	if (row->first)
		data_count(canvas, "last", row->last);
	data_count(canvas, "count", latency->count);
	if (!latency->count)
		return;
	data_count(canvas, "p50-ns", stat_percentile(latency, 50));
	data_count(canvas, "p99-ns", stat_percentile(latency, 99));
	data_count(canvas, "max-ns", latency->max);
	data_mean(canvas, "mean-ns", stat_mean(latency));
	tooltip_draw(canvas,
		     "%s%s%s: %llu messages; 50 %% take at most %s, 99 %% at most %s, the longest "
		     "%s; mean %s%s%s",
		     point->name, point->more[0] ? ", " : "", point->more,
		     (unsigned long long)latency->count,
		     NS_TEXT((double)stat_percentile(latency, 50)),
		     NS_TEXT((double)stat_percentile(latency, 99)), NS_TEXT((double)latency->max),
		     NS_TEXT(stat_mean(latency)), point->note[0] ? "; " : "", point->note);
}

static void set_values(struct client_row *row)
{
	const struct stat *latency = &row->latency;
	bool is_known = latency->count > 0;

	row->point.of = row;
	row->point.value[0] = is_known ? (double)stat_percentile(latency, 50) : NAN;
	row->point.value[1] = is_known ? (double)stat_percentile(latency, 99) : NAN;
	row->point.value[2] = is_known ? (double)latency->max : NAN;
	if (!is_known)
		snprintf(row->point.note, sizeof(row->point.note), "none matched");
}

static void set_heads(struct client_rows *rows)
{
	if (!rows->client_cnt || rows->cnt == rows->client_cnt)
		return;
	rows->row[0].point.head = "clients of rounds";
	rows->row[rows->client_cnt].point.head = "channels";
}

static double name_width(const struct summary *summary, bool has_channels)
{
	if (has_channels)
		return NAME_LONG;
	return summary->info.mode == MODE_ATTACH ? NAMES_WIDE : NAME_SHORT;
}

struct client_chart {
	struct client_rows *rows; /* NULL: there are none */
	struct point_row point[ROWS_MAX];
	char words[LABEL_LEN];
	struct point_chart chart;
};

static void chart_open(struct client_chart *chart, const struct summary *summary)
{
	struct client_rows *rows = rows_of(summary);
	bool has_channels;

	*chart = (struct client_chart){.rows = rows};
	if (!rows)
		return;
	has_channels = rows->cnt > rows->client_cnt;
	set_heads(rows);
	for (uint32_t i = 0; i < rows->cnt; i++) {
		set_values(&rows->row[i]);
		chart->point[i] = rows->row[i].point;
	}
	if (rows->channels_more)
		snprintf(chart->words, sizeof(chart->words), "%u more channels are not drawn.",
			 rows->channels_more);
	chart->chart = (struct point_chart){
		.row = chart->point,
		.cnt = rows->cnt,
		.label = {"50 % take at most", "99 %", "the longest"},
		.has_range = true,
		.measure = MEASURE_NS,
		.title = "latency of messages",
		.name_width = name_width(summary, has_channels),
		.note_width = NOTE_WIDTH,
		.words = chart->words,
		.put_data = put_data,
	};
}

static double draw(const struct canvas *canvas, const struct illustration *illustration)
{
	struct client_chart chart;
	double height;

	chart_open(&chart, illustration->summary);
	height = chart.rows ? point_chart_draw(canvas, &chart.chart) : 0;
	client_rows_free(chart.rows);
	return height;
}

const struct figure figure_clients = {
	.name = "clients",
	.title = "Latency by client and channel",
	.applies = applies,
	.describe = describe,
	.draw = draw,
};
