/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints why clients or the server left early, and why a measurement ended early. */
#include "insight/metrics.h"
#include "report/text/sections.h"

#include <errno.h>
#include <string.h>

#define DEPARTURES_NAMED 10 /* clients */

static void add_failed_send(struct paragraph *paragraph, const struct workload_spec *spec,
			    uint64_t error)
{
	if (error != EAGAIN)
		paragraph_add(paragraph, "was dropped because a send failed (%s)",
			      strerror((int)error));
	else if (!strcmp(spec->transport, "uds"))
		paragraph_add(paragraph, "was dropped because its queue was full "
					 "(net.unix.max_dgram_qlen says how long it is)");
	else
		paragraph_add(paragraph, "was dropped because its queue was full");
}

static void add_reason(struct paragraph *paragraph, const struct workload_spec *spec,
		       enum left_reason reason, uint64_t detail)
{
	switch (reason) {
	case LEFT_SEND_FAILED:
		add_failed_send(paragraph, spec, detail);
		break;
	case LEFT_SIGNAL:
		paragraph_add(paragraph, "was ended by a signal (%s)", strsignal((int)detail));
		break;
	default:
		paragraph_add(paragraph, "ended by itself with status %d", (int)detail);
	}
}

static void add_client(struct paragraph *paragraph, const struct workload_spec *spec,
		       const struct client_summary *client)
{
	paragraph_add(paragraph, "%sclient %u ", paragraph->length ? "; " : "", client->client);
	add_reason(paragraph, spec, client->left_reason, client->left_detail);
	paragraph_add(paragraph, " after %llu %s%s", (unsigned long long)client->left_round,
		      spec_has_rounds(spec) ? "round" : "message", plural(client->left_round));
}

void departure_words(struct paragraph *paragraph, const struct summary *summary)
{
	const struct workload_spec *spec = &summary->info.workload;
	uint32_t cnt = 0;

	if (summary->server_left) {
		paragraph_add(paragraph, "the server ");
		add_reason(paragraph, spec, summary->server_left_reason,
			   summary->server_left_detail);
	}
	for (uint32_t i = 0; i < summary->client_cnt; i++) {
		if (summary->client[i].left && ++cnt <= DEPARTURES_NAMED)
			add_client(paragraph, spec, &summary->client[i]);
	}
	if (cnt > DEPARTURES_NAMED)
		paragraph_add(paragraph, "; and %u more client%s", cnt - DEPARTURES_NAMED,
			      plural(cnt - DEPARTURES_NAMED));
}

void text_departures(const struct text *text, const struct summary *summary)
{
	struct paragraph line = {0};

	departure_words(&line, summary);
	paragraph_print(text, INK_WARNING, "left early", &line);
}

static void add_cause(struct paragraph *paragraph, const struct run_ending *ending)
{
	static const char *const words[NR_END_CAUSES] = {
		[END_SERVER] = "the server had left", [END_CLIENTS] = "all clients had left",
		[END_TARGETS] = "no target was left", [END_STOP_AT] = "--stop-at was reached",
		[END_COUNT] = "--count was reached",
	};
	const char *separator = paragraph->length ? ": " : "";

	if (ending->by == END_SIGNAL)
		paragraph_add(paragraph, "%sstopped by a signal (%s)", separator,
			      strsignal(ending->signal));
	else if (words[ending->by])
		paragraph_add(paragraph, "%s%s", separator, words[ending->by]);
}

void early_words(struct paragraph *paragraph, const struct summary *summary)
{
	const struct run_ending ending = run_ending_of(summary);

	if (!ending.is_early)
		return;
	if (ending.unit)
		paragraph_add(paragraph, "after %llu of %llu %s", (unsigned long long)ending.done,
			      (unsigned long long)ending.planned, ending.unit);
	add_cause(paragraph, &ending);
	heir_words(paragraph, "; ", summary);
}

void text_early(const struct text *text, const struct summary *summary)
{
	struct paragraph line = {0};

	early_words(&line, summary);
	paragraph_print(text, INK_WARNING, "ended early", &line);
}
