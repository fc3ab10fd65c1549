/* SPDX-License-Identifier: BSD-2-Clause */
/* Says what the exchanges of the pattern connect spend their time on. */
#include "report/words/exchange_words.h"

#include "insight/metrics.h"
#include "report/words/labels.h"

/* What the message itself takes longest for. */
static void add_message_part(struct paragraph *verdict, const struct summary *summary)
{
	double ns[NR_COMPONENTS];
	enum component largest;

	for (int i = 0; i < NR_COMPONENTS; i++)
		ns[i] = stat_mean(&summary->component[i]);
	largest = components_largest(ns);
	paragraph_add(verdict, " %s of that is %s.",
		      PERCENT(share_of_latency(summary, ns[largest])), components[largest].title);
}

bool exchange_verdict_words(struct paragraph *verdict, const struct summary *summary)
{
	const struct exchanges_summary *exchanges = &summary->exchanges;
	enum exchange_part part = exchanges_largest(exchanges);
	double share = stat_mean(&exchanges->part[part]) / stat_mean(&exchanges->latency);

	if (!exchanges_are_cut(exchanges))
		return false;
	paragraph_add(verdict, "%s of an exchange (%s) is %s: %s.",
		      share > 0.5 ? "Most" : "The largest part", PERCENT(share),
		      exchange_parts[part].title, exchange_parts[part].where);
	if (part == EXCHANGE_MESSAGE)
		add_message_part(verdict, summary);
	paragraph_add(verdict,
		      " Half of all exchanges take at most %.1f us, 99 %% at most %.1f us.",
		      (double)stat_percentile(&exchanges->latency, 50) / 1e3,
		      (double)stat_percentile(&exchanges->latency, 99) / 1e3);
	return true;
}

void exchange_count_words(struct paragraph *line, const struct summary *summary)
{
	const struct exchanges_summary *exchanges = &summary->exchanges;

	if (!exchanges->latency.count && !exchanges->uncut)
		return;
	if (!exchanges->latency.count) {
		paragraph_add(line, "%lu, whose connections, or their parts, are not known",
			      exchanges->uncut);
		return;
	}
	paragraph_add(line, "%lu, each with a connection and a message", exchanges->latency.count);
	if (exchanges_are_cut(exchanges) && !summary->integrity.residual_ns_max)
		paragraph_add(line, "; the parts of every exchange add up");
	if (exchanges->uncut)
		paragraph_add(line, "; %lu more whose connection, or its parts, are not known",
			      exchanges->uncut);
}
