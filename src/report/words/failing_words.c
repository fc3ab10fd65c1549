/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the sentences on system calls that fail. */
#include "report/words/failing_words.h"

#include "insight/metrics.h"
#include "report/words/error_words.h"
#include "report/words/labels.h"

/* Less of one CPU is no trouble. */
#define MUCH_OF_A_CPU 0.01

static double share_of_cpu(const struct summary *summary, const struct failing_summary *failing)
{
	double seconds = traced_seconds(summary);

	return seconds > 0 ? (double)failing->ns / 1e9 / seconds : 0;
}

bool failing_is_much(const struct summary *summary, const struct failing_summary *failing)
{
	return share_of_cpu(summary, failing) >= MUCH_OF_A_CPU;
}

static const char *failing_channel_name(const struct summary *summary,
					const struct failing_summary *failing)
{
	for (uint32_t i = 0; failing->has_channel && i < summary->channel_cnt; i++) {
		const struct channel_summary *channel = &summary->channel[i];

		if (!channel->folded && channel->id == failing->channel && channel->name[0])
			return channel->name;
	}
	return NULL;
}

void failing_words(struct paragraph *line, const struct summary *summary,
		   const struct failing_summary *failing)
{
	const char *channel = failing_channel_name(summary, failing);

	paragraph_add(line, "%s: %s fails %.0f times/s with ",
		      end_title(summary, &failing->thread, (char[END_TITLE_LEN]){0}),
		      SYSCALL(summary->info.host.arch, failing->number),
		      (double)failing->count / traced_seconds(summary));
	error_words(line, failing->error);
	paragraph_add(line, ", %.0f %% of a CPU", 100 * share_of_cpu(summary, failing));
	if (channel)
		paragraph_add(line, ", on %s", channel);
	else if (failing->port)
		paragraph_add(line, ", on port %u", failing->port);
}
