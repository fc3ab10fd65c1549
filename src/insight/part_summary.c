/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds up the messages of some channels. */
#include "insight/part_summary.h"

#include "insight/metrics.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Then what caused the component is known for the part, too. */
static bool has_nearly_all(const struct summary *part, const struct summary *all,
			   enum component component)
{
	return (double)part->component[component].sum >=
	       NEARLY_ALL * (double)all->component[component].sum;
}

/* Of all messages the list is exact; recordings before version 14 have no other. */
static void part_summary_replace_blame(struct part_summary *part, const struct summary *all)
{
	struct summary *summary = &part->summary;
	struct blame_top top = {0};
	struct blame_list list;

	if (has_nearly_all(summary, all, COMPONENT_RUNQUEUE))
		return;
	for (uint32_t i = 0; i < summary->channel_cnt; i++)
		blame_top_add(&top, summary->channel[i].blame.entry, summary->channel[i].blame.cnt);
	list = blame_of_top(all, &top, (double)summary->component[COMPONENT_RUNQUEUE].sum,
			    part->blame);
	summary->blame = part->blame;
	summary->blame_cnt = list.cnt;
}

static void part_summary_add(struct part_summary *part, const struct channel_summary *channel)
{
	struct summary *summary = &part->summary;

	summary->channel[summary->channel_cnt++] = *channel;
	for (int i = 0; i < NR_COMPONENTS; i++) {
		summary->component[i].sum += channel->components.ns[i];
		summary->component[i].count += channel->components.count;
		part->ns += (double)channel->components.ns[i];
	}
}

int part_summary_of(struct part_summary *part, const struct summary *summary,
		    channel_filter_fn *counts, const void *ctx)
{
	*part = (struct part_summary){.summary = *summary};
	part->summary.channel = calloc(summary->channel_cnt + 1, sizeof(*summary->channel));
	if (!part->summary.channel)
		return -ENOMEM;
	part->summary.channel_cnt = 0;
	memset(part->summary.component, 0, sizeof(part->summary.component));
	for (uint32_t i = 0; i < summary->channel_cnt; i++) {
		if (!summary->channel[i].folded && counts(ctx, &summary->channel[i]))
			part_summary_add(part, &summary->channel[i]);
	}
	part_summary_replace_blame(part, summary);
	if (!has_nearly_all(&part->summary, summary, COMPONENT_BLOCKED))
		part->summary.blocked.cnt = 0;
	if (!has_nearly_all(&part->summary, summary, COMPONENT_ROOM))
		part->summary.room_cnt = 0;
	return 0;
}

void part_summary_clean(struct part_summary *part)
{
	free(part->summary.channel);
}
