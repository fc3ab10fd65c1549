/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints the section on the channels that have the most messages. Channels of one service
 * from clients of one name share a row. Only the report of `ipctrace
 * attach` has this section. A channel is one direction of a socket, pipe or queue.
 */
#include "model/transport_names.h"
#include "report/words/labels.h"
#include "insight/metrics.h"
#include "insight/channel_rows.h"
#include "report/text/component_bar.h"
#include "report/text/sections.h"

#define ROWS_MAX    12
#define LABEL_WIDTH 14
#define CELL_WIDTH  9

static const struct column columns[] = {
	{CELL_WIDTH, "messages", NULL}, {CELL_WIDTH, "calls", NULL}, {CELL_WIDTH, "mean", NULL},
	{CELL_WIDTH, "p99", NULL},      {CELL_WIDTH, "max", NULL},
};

#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

/* The last column of the page stays free. */
#define BAR_COLUMN (LABEL_WIDTH + (int)COLUMNS * CELL_WIDTH)

static void parts_bar(const struct text *text, const struct component_sum *sum)
{
	double ns[NR_COMPONENTS];

	for (int i = 0; i < NR_COMPONENTS; i++)
		ns[i] = (double)sum->ns[i];
	begin_bar(text);
	component_bar(text, ns, bar_room(text, BAR_COLUMN + 1, BAR_MAX), false);
}

static const char *or_unknown(const char *name)
{
	return name && name[0] ? name : "?";
}

/* "redis-cli (pid 12)"; "100 x logger" for the clients of several channels. */
static void add_end(struct paragraph *line, const struct summary *summary,
		    const struct channel_summary *channel, bool is_sender)
{
	const struct end_summary end = channel_process(channel, is_sender);
	uint32_t server = is_sender ? ADDRESS_OF_SENDER : ADDRESS_OF_RECEIVER;
	char title[END_TITLE_LEN];

	process_title(summary, &end, title);
	if (channel->folded && !(channel->named & server))
		paragraph_add(line, "%u x %s", channel->folded, or_unknown(end.comm));
	else
		paragraph_add(line, "%s", title);
}

/* "uds-stream /run/x.sock: client (pid 12) > server (pid 34)", the line above the figures. */
static void channel_title(const struct text *text, const struct summary *summary,
			  const struct channel_summary *channel)
{
	struct paragraph line = {0};

	if (channel->folded && !channel->transport) {
		paragraph_add(&line, "%u other channels", channel->folded);
	} else {
		paragraph_add(&line, "%s %s: ", or_unknown(transport_id_name(channel->transport)),
			      or_unknown(channel->name));
		add_end(&line, summary, channel, true);
		paragraph_add(&line, " > ");
		add_end(&line, summary, channel, false);
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
	text_us(text, CELL_WIDTH, stat_mean(&channel->latency));
	text_us(text, CELL_WIDTH, (double)stat_percentile(&channel->latency, 99));
	text_us(text, CELL_WIDTH, (double)channel->latency.max);
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
	rows = cnt < ROWS_MAX ? cnt : ROWS_MAX;
	text_newline(text);
	text_heading(text, "channels (us)", LABEL_WIDTH, columns, COLUMNS);
	for (uint32_t i = 0; i < rows; i++)
		channel_row(text, summary, &row[i]);
	if (cnt > rows)
		fprintf(text->out, "%*sand %u more, see -f json\n", LABEL_WIDTH, "", cnt - rows);
	channel_rows_free(row, cnt);
	component_legend(text, &summary->info, "  bars");
}
