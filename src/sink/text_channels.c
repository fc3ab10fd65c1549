/* SPDX-License-Identifier: BSD-2-Clause */
/* Attach: the channels that most messages went over. */
#include "sink/text_sections.h"
#include "sink/words.h"

#define ROWS_MAX    12
#define LABEL_WIDTH 14
#define CELL_WIDTH  9

static const struct column columns[] = {
	{CELL_WIDTH, "messages", NULL},    {CELL_WIDTH, "mean", NULL},
	{CELL_WIDTH, "p99", NULL},         {CELL_WIDTH, "max", NULL},
	{CELL_WIDTH, "switch", "context"}, {CELL_WIDTH, "calls", NULL},
};

#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

static double context_switch_mean(const struct component_sum *sum)
{
	uint64_t ns =
		sum->ns[COMPONENT_WAKEUP] + sum->ns[COMPONENT_RUNQUEUE] + sum->ns[COMPONENT_SWITCH];

	return sum->count ? (double)ns / (double)sum->count : 0;
}

/* "uds-stream /run/x.sock   client (12) > server (34)", on a line of its own above the figures. */
static void channel_title(const struct text *text, const struct channel_summary *channel)
{
	struct paragraph line = {0};

	if (channel->folded)
		paragraph_add(&line, "%u other channels", channel->folded);
	else
		paragraph_add(&line, "%s %s: %s (%u) > %s (%u)",
			      transport_id_name(channel->transport), channel->name,
			      channel->sender.comm, channel->sender.pid, channel->receiver.comm,
			      channel->receiver.pid);
	paragraph_print(text, INK_PLAIN, "", &line);
}

static void channel_row(const struct text *text, const struct channel_summary *channel)
{
	channel_title(text, channel);
	text_label(text, INK_PLAIN, LABEL_WIDTH, "");
	text_count(text, CELL_WIDTH, channel->messages);
	text_us(text, CELL_WIDTH, stat_mean(&channel->latency));
	text_us(text, CELL_WIDTH, (double)stat_percentile(&channel->latency, 99));
	text_us(text, CELL_WIDTH, (double)channel->latency.max);
	text_us(text, CELL_WIDTH, context_switch_mean(&channel->components));
	text_count(text, CELL_WIDTH, channel->calls);
	text_newline(text);
}

void text_channels(const struct text *text, const struct summary *summary)
{
	uint32_t rows = summary->channel_cnt < ROWS_MAX ? summary->channel_cnt : ROWS_MAX;

	if (!summary->channel_cnt)
		return;
	text_newline(text);
	text_heading(text, "channels (us)", LABEL_WIDTH, columns, COLUMNS);
	for (uint32_t i = 0; i < rows; i++)
		channel_row(text, &summary->channel[i]);
	if (summary->channel_cnt > rows)
		fprintf(text->out, "%*sand %u more, see -f json\n", LABEL_WIDTH, "",
			summary->channel_cnt - rows);
}
