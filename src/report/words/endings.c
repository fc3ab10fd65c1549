/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Says when tracing began and how it ended: for how long it went on, what ended it, which clients
 * left, which channels targets had then, and which of their children are not traced.
 */
#include "insight/metrics.h"
#include "report/words/labels.h"
#include "report/words/summary_words.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* Messages that came within a smaller part of the time are a burst. */
#define BURST_SHARE      0.5

#define DEPARTURES_NAMED 10 /* clients */

/* `before`, then "redis-server (pid 4712) has /run/x.sock now"; nothing if no process has it. */
static void heir_words(struct paragraph *line, const char *before, const struct summary *summary)
{
	const struct found_summary *found = &summary->found;

	if (found->now.pid)
		paragraph_add(line, "%s%s has %s now", before, PROCESS(summary, &found->now),
			      found->name);
}

/* "1334", "2.5": three digits are enough. */
static void add_rate(struct paragraph *line, const char *before, double rate, const char *unit)
{
	if (isfinite(rate))
		paragraph_add(line, "%s%.*f %s/s", before, rate < 10 ? 1 : 0, rate, unit);
}

/* "6.0 s: 1334 messages/s, 667 calls/s" */
static void add_rates(struct paragraph *line, const struct summary *summary)
{
	if (!summary->integrity.sent)
		return;
	add_rate(line, ": ", sends_per_second(summary), "messages");
	if (calls_seen(&summary->calls))
		add_rate(line, ", ", calls_per_second(summary), "calls");
}

void tracing_words(struct paragraph *line, const struct summary *summary)
{
	uint64_t ns = traced_ns(summary);
	const char *begin = BEGIN(&summary->info.begin);

	paragraph_add(line, "%s", begin);
	if (ns)
		paragraph_add(line, "%s%.1f s", begin[0] ? ", " : "", (double)ns / 1e9);
	else if (summary->integrity.sent)
		paragraph_add(line, "%s%llu message%s in %.1f s", begin[0] ? ", " : "",
			      (unsigned long long)summary->integrity.sent,
			      plural(summary->integrity.sent), summary->duration_s);
	add_rates(line, summary);
}

/* The end of an early one has a line of its own. */
static void endings_add_end(struct paragraph *line, const struct summary *summary)
{
	const struct run_ending ending = run_ending_of(summary);

	if (ending.is_early)
		return;
	if (ending.by == END_DURATION)
		paragraph_add(line, ", until --duration was over");
	else if (ending.by == END_TARGETS)
		paragraph_add(line, ", until no target was left");
	else if (ending.by == END_STOP_AT)
		paragraph_add(line, ", until --stop-at was reached");
	else if (ending.by == END_COUNT)
		paragraph_add(line, ", until --count was reached");
	else if (ending.by == END_SIGNAL)
		paragraph_add(line, ", until a signal ended it (%s)", strsignal(ending.signal));
	heir_words(line, "; ", summary);
}

/* Rounded up: no message came later. */
static void add_burst(struct paragraph *line, const struct summary *summary)
{
	double all_s = (double)traced_ns(summary) / 1e9, burst_s = summary->duration_s;
	double unit_s = burst_s < 1e-3 ? 1e-6 : 1e-3;

	if (summary->integrity.matched > 1 && burst_s < BURST_SHARE * all_s)
		paragraph_add(line, "; all messages came within %s of this time",
			      DURATION((uint64_t)(ceil(burst_s / unit_s) * unit_s * 1e9 + 0.5)));
}

const char *tracing_label(const struct summary *summary)
{
	if (!summary->info.traced)
		return "began";
	return BEGIN(&summary->info.begin)[0] ? "traced from" : "traced";
}

void tracing_details(struct paragraph *line, const struct summary *summary)
{
	uint64_t ns = traced_ns(summary);
	const char *begin = BEGIN(&summary->info.begin);

	paragraph_add(line, "%s", begin);
	if (ns)
		paragraph_add(line, "%s%.3f s", begin[0] ? " for " : "for ", (double)ns / 1e9);
	if (line->length)
		endings_add_end(line, summary);
	add_rates(line, summary);
	if (ns)
		add_burst(line, summary);
}

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
		const struct client_summary *client = &summary->client[i];

		if (!client->left || ++cnt > DEPARTURES_NAMED)
			continue;
		paragraph_add(paragraph, "%sclient %u ", paragraph->length ? "; " : "",
			      client->client);
		add_reason(paragraph, spec, client->left_reason, client->left_detail);
		paragraph_add(paragraph, " after %llu %s%s", (unsigned long long)client->left_round,
			      spec_has_rounds(spec) ? "round" : "message",
			      plural(client->left_round));
	}
	if (cnt > DEPARTURES_NAMED)
		paragraph_add(paragraph, "; and %u more client%s", cnt - DEPARTURES_NAMED,
			      plural(cnt - DEPARTURES_NAMED));
}

static void endings_add_cause(struct paragraph *paragraph, const struct run_ending *ending)
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
	endings_add_cause(paragraph, &ending);
	heir_words(paragraph, "; ", summary);
}

/* "It has exited, and no process has /run/x.sock now. " */
static void add_exited(struct paragraph *line, const struct summary *summary)
{
	const struct found_summary *found = &summary->found;

	paragraph_add(line, "No target is left");
	if (!found->now.pid && found->name[0])
		paragraph_add(line, ", and no process has %s now", found->name);
	heir_words(line, ", and ", summary);
	paragraph_add(line, ". ");
}

static void add_names(struct paragraph *line, const struct found_summary *found)
{
	if (!found->services || !found->name[0])
		return;
	paragraph_add(line, "%s be reached at %s", found->connections ? " and can" : "can",
		      found->name);
	if (found->services > 1)
		paragraph_add(line, " and %u more name%s", found->services - 1,
			      plural(found->services - 1));
}

static void add_open(struct paragraph *line, const struct found_summary *found)
{
	paragraph_add(line, "%s ", found->targets == 1 ? "It" : "They");
	if (found->connections)
		paragraph_add(line, "%s %u local channel%s open",
			      found->targets == 1 ? "has" : "have", found->connections,
			      plural(found->connections));
	add_names(line, found);
	if (found->connections)
		paragraph_add(line, ": nothing came over %s. ",
			      found->connections == 1 ? "it" : "them");
	else
		paragraph_add(line, "%sno local channel is open. ", found->services ? ": " : "");
}

static void endings_add_untraced(struct paragraph *line, const struct untraced *untraced)
{
	char title[UNTRACED_TITLE_LEN];

	if (untraced->cnt)
		paragraph_add(line, "%s %s started by a target, and %s not traced. ",
			      untraced_title(untraced, title), untraced->cnt == 1 ? "was" : "were",
			      untraced->cnt == 1 ? "is" : "are");
}

void untraced_words(struct paragraph *line, const struct summary *summary)
{
	const struct untraced *untraced = &summary->info.untraced;
	char title[UNTRACED_TITLE_LEN];

	if (untraced->cnt)
		paragraph_add(line,
			      "%s: %s of a target, with sockets or pipes: of %s messages only "
			      "those with a target are in this report",
			      untraced_title(untraced, title),
			      untraced->cnt == 1 ? "a child" : "children",
			      untraced->cnt == 1 ? "its" : "their");
}

void found_words(struct paragraph *line, const struct summary *summary)
{
	const struct found_summary *found = &summary->found;

	if (!found->known)
		return;
	endings_add_untraced(line, &summary->info.untraced);
	if (!found->targets) {
		add_exited(line, summary);
		return;
	}
	if (found->connections || (found->services && found->name[0]))
		add_open(line, found);
	else
		paragraph_add(line, "No local channel of %s is open. ",
			      found->targets == 1 ? "it" : "theirs");
	if (found->elsewhere)
		paragraph_add(line, "%u connection%s lead%s to other machines, or out of reach. ",
			      found->elsewhere, plural(found->elsewhere),
			      found->elsewhere == 1 ? "s" : "");
}

void load_words(struct paragraph *paragraph, const struct workload_spec *spec,
		const struct load_summary *load)
{
	if (!spec->load[0])
		return;
	paragraph_add(paragraph, "%s", spec->load);
	if (load->count)
		paragraph_add(paragraph, ", %llu time%s in the meantime",
			      (unsigned long long)load->count, plural(load->count));
	if (load->ended)
		paragraph_add(paragraph, ", which ended by itself: the machine was not busy to "
					 "the end");
}

void run_load_words(struct paragraph *line, const struct summary *summary)
{
	load_words(line, &summary->info.workload, &summary->load);
}

static void add_warning(struct paragraph *warning, const char *what, const struct paragraph *why)
{
	if (why->length)
		paragraph_add(warning, "%s%s%s", warning->length ? "; " : "", what, why->text);
}

/* Which end serves was decided as if nothing had been said of it. */
static void vain_words(struct paragraph *line, const struct summary *summary)
{
	for (int i = CHOICE_SERVER; i < NR_CHOICES && summary->integrity.sent; i++) {
		if (choice_is_in_vain(summary, i))
			paragraph_add(line, "%s--%s '%s' matches no process of the messages",
				      line->length ? "; " : "", choice_options[i],
				      choice_wanted(summary, i));
	}
}

void warning_words(struct paragraph *warning, const struct summary *summary)
{
	struct paragraph early = {0}, departures = {0}, load = {0}, vain = {0};

	vain_words(&vain, summary);
	early_words(&early, summary);
	departure_words(&departures, summary);
	if (summary->load.ended)
		load_words(&load, &summary->info.workload, &summary->load);
	if (!early.length)
		heir_words(warning, "no target is left; ", summary);
	add_warning(warning, "", &vain);
	add_warning(warning, "ended early ", &early);
	add_warning(warning, "", &departures);
	add_warning(warning, "load ", &load);
}
