/* SPDX-License-Identifier: BSD-2-Clause */
/* Says what the exchanges of the pattern connect spend their time on. */
#include "report/words/exchange_words.h"

#include "insight/metrics.h"
#include "report/words/labels.h"

/* What the message itself takes longest for, if it is the largest part. */
void exchange_message_words(struct paragraph *verdict, const struct summary *summary)
{
	double ns[NR_COMPONENTS];
	enum component largest;

	if (exchanges_largest(&summary->exchanges) != EXCHANGE_MESSAGE)
		return;
	for (int i = 0; i < NR_COMPONENTS; i++)
		ns[i] = stat_mean(&summary->component[i]);
	largest = components_largest(ns);
	paragraph_add(verdict, " %s of the message is %s.",
		      PERCENT(share_of_latency(summary, ns[largest])), components[largest].is);
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
