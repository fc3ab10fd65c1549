/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorts channels by service, and adds up the channels of each. */
#include "insight/channel_rows.h"

#include "model/channel_group.h"

#include <stdlib.h>
#include <string.h>

struct keyed {
	char key[CHANNEL_KEY_LEN]; /* empty: not merged with others */
	const struct channel_summary *channel;
};

static int channel_rows_by_key(const void *a, const void *b)
{
	const struct keyed *x = a, *y = b;
	int order = strcmp(x->key, y->key);

	return order ?: (x->channel > y->channel) - (x->channel < y->channel);
}

static uint32_t channel_rows_channels_of(const struct channel_summary *channel)
{
	return channel->folded ?: 1;
}

/* How many channels, in order of key, go into one row with the first. */
static uint32_t channel_rows_alike(const struct keyed *keyed, uint32_t cnt)
{
	uint32_t same = 1, channels = channel_rows_channels_of(keyed->channel);

	for (; keyed->key[0] && same < cnt && !strcmp(keyed->key, keyed[same].key); same++)
		channels += channel_rows_channels_of(keyed[same].channel);
	return channels >= CHANNELS_ALIKE_MIN ? same : 1;
}

static struct channel_summary channel_rows_merge(const struct keyed *keyed, uint32_t cnt)
{
	struct channel_summary row = *keyed->channel;

	row.messages = row.bytes = row.calls = 0;
	row.components = (struct component_sum){0};
	row.latency = (struct stat){0}; /* one of its own */
	if (cnt > 1) {
		row.folded = 0;
		channel_group_begin(&row);
		for (uint32_t i = 0; i < cnt; i++)
			row.folded += channel_rows_channels_of(keyed[i].channel);
	}
	for (uint32_t i = 0; i < cnt; i++)
		channel_group_add(&row, keyed[i].channel);
	return row;
}

/* What has no transport is of any: it comes last. */
static int channel_rows_most_messages_first(const void *a, const void *b)
{
	const struct channel_summary *x = a, *y = b;

	if (!x->transport != !y->transport)
		return x->transport ? -1 : 1;
	if (x->messages != y->messages)
		return x->messages < y->messages ? 1 : -1;
	return (x->id > y->id) - (x->id < y->id);
}

struct channel_summary *channel_rows_of(const struct summary *summary, uint32_t *cnt)
{
	struct channel_summary *rows = calloc(summary->channel_cnt + 1, sizeof(*rows));
	struct keyed *keyed = calloc(summary->channel_cnt + 1, sizeof(*keyed));
	uint32_t same;

	*cnt = 0;
	if (!rows || !keyed) {
		free(rows);
		free(keyed);
		return NULL;
	}
	for (uint32_t i = 0; i < summary->channel_cnt; i++) {
		keyed[i].channel = &summary->channel[i];
		channel_group_key(keyed[i].channel, keyed[i].key);
	}
	qsort(keyed, summary->channel_cnt, sizeof(*keyed), channel_rows_by_key);
	for (uint32_t i = 0; i < summary->channel_cnt; i += same) {
		same = channel_rows_alike(&keyed[i], summary->channel_cnt - i);
		rows[(*cnt)++] = channel_rows_merge(&keyed[i], same);
	}
	qsort(rows, *cnt, sizeof(*rows), channel_rows_most_messages_first);
	free(keyed);
	return rows;
}

void channel_rows_free(struct channel_summary *rows, uint32_t cnt)
{
	for (uint32_t i = 0; i < cnt; i++)
		stat_free(&rows[i].latency);
	free(rows);
}
