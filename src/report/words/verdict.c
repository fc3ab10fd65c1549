/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes what was slow: what failed, was dropped or waits for ever comes first, then the largest
 * part of the time (whole_cause.c), or of a chain from process to process. If no message was seen,
 * it says what was there instead.
 */
#include "insight/metrics.h"
#include "report/words/exchange_words.h"
#include "report/words/connection_words.h"
#include "report/words/culprits.h"
#include "report/words/explain/cause_words.h"
#include "report/words/explain/remedies.h"
#include "report/words/summary_words.h"
#include "report/words/verdict_parts.h"
#include "report/words/waiting_words.h"
#include "report/words/whole_words.h"

#define DROPS_MATTER 0.01 /* of all messages */
#define SAME_TIMEOUT 1.05 /* longest by shortest */
#define MOST         0.5  /* of all messages */
#define HOPS_MIN     3    /* a pipeline of two hops is a reader that also writes */

/* The longest part of a chain. */
struct chain_part {
	const struct end_summary *to;
	bool is_handled; /* the time there, not the time on the way there */
	double ns;       /* sum */
};

static struct chain_part longest_part(const struct chain_summary *chain)
{
	struct chain_part longest = {.to = &chain->hop[0].to};

	for (uint32_t i = 0; i < chain->hop_cnt; i++) {
		const struct chain_hop *hop = &chain->hop[i];

		if ((double)hop->latency.ns > longest.ns)
			longest = (struct chain_part){&hop->to, false, (double)hop->latency.ns};
		if ((double)hop->handled.ns > longest.ns)
			longest = (struct chain_part){&hop->to, true, (double)hop->handled.ns};
	}
	return longest;
}

static bool has_most_messages(const struct summary *summary)
{
	double cnt = 0;

	for (uint32_t i = 0; i < summary->chain_cnt; i++) {
		if (summary->chain[i].hop_cnt >= HOPS_MIN)
			cnt += (double)summary->chain[i].count * summary->chain[i].hop_cnt;
	}
	return summary->chain[0].hop_cnt >= HOPS_MIN &&
	       cnt >= MOST * (double)summary->integrity.matched;
}

/* One sentence on the most frequent chain. False: most messages are of no chain. */
static bool chain_words(struct paragraph *verdict, const struct summary *summary)
{
	const struct chain_summary *chain = summary->chain;
	struct chain_part part;

	if (!summary->chain_cnt || !has_most_messages(summary))
		return false;
	part = longest_part(chain);
	paragraph_add(
		verdict,
		"A cycle from %s to %s, over %u messages, takes %.1f us; %s of that is %s%s%s.",
		PROCESS(summary, &chain->hop[0].from),
		PROCESS(summary, &chain->hop[chain->hop_cnt - 1].to), chain->hop_cnt,
		stat_mean(&chain->cycle) / 1e3, PERCENT(part.ns / (double)chain->cycle.sum),
		part.is_handled ? "what " : "the way to ", PROCESS(summary, part.to),
		part.is_handled ? " does before it sends the next one" : "");
	return true;
}

static void add_unseen(const struct summary *summary, struct paragraph *verdict)
{
	struct paragraph waiting = {0};
	bool hangs = false;

	if (summary->info.mode == MODE_RUN) {
		paragraph_add(verdict, "No message was seen, so there is nothing to explain.");
		return;
	}
	paragraph_add(verdict, "No message %swas seen",
		      choice_is_in_vain(summary, CHOICE_PEER) ? "with such a peer " : "");
	if (traced_ns(summary))
		paragraph_add(verdict, " in %.1f s", (double)traced_ns(summary) / 1e9);
	if (choice_is_in_vain(summary, CHOICE_PEER)) {
		paragraph_add(verdict, ": --peer '%s': ", summary->info.peer);
		choice_words(verdict, summary, CHOICE_PEER);
		paragraph_add(verdict, ". Name one of these by --peer, or leave the option out.");
		return;
	}
	if (!summary->found.known || summary->found.targets)
		hangs = waiting_silence_words(&waiting, summary);
	if (waiting.length)
		paragraph_add(verdict, ": %s. ", waiting.text);
	else
		paragraph_add(verdict,
			      ": %s neither sent nor received over a local channel (unix socket, "
			      "local TCP or UDP, pipe, message queue, eventfd, futex). ",
			      summary->info.target[0] ? summary->info.target : "the targets");
	if (hangs)
		return;
	if (summary->info.level == LEVEL_LIGHT)
		paragraph_add(verdict, "Level light traces only unix sockets and TCP. ");
	found_words(verdict, summary);
}

/* Nothing that the user has chosen, nor the level, is why no message was seen. */
static bool has_connections_alone(const struct summary *summary)
{
	for (int i = 0; i < NR_CHOICES; i++) {
		if (choice_is_in_vain(summary, i))
			return false;
	}
	return summary->connections.latency.sum && summary->info.level != LEVEL_LIGHT;
}

/* Whether the sentence on what was seen instead says what to do. */
static bool says_what_to_do(const struct summary *summary)
{
	struct paragraph waiting = {0};

	return summary->info.mode == MODE_RUN || summary->integrity.elsewhere ||
	       choice_is_in_vain(summary, CHOICE_PEER) || has_connections_alone(summary) ||
	       ((!summary->found.known || summary->found.targets) &&
		waiting_silence_words(&waiting, summary));
}

void unseen_next_words(struct paragraph *line, const struct summary *summary)
{
	if (!summary->integrity.sent && !says_what_to_do(summary))
		paragraph_add(line, "'sudo ipctrace list' shows the local channels of this machine "
				    "and how to attach to them.");
}

/* False: there is no latency to explain, and the sentence says so. */
static bool add_nothing(const struct summary *summary, struct paragraph *verdict)
{
	const struct integrity *integrity = &summary->integrity;

	if (summary->latency.count || (integrity->matched && !summary->info.traced))
		return true;
	if (!integrity->sent && integrity->elsewhere)
		paragraph_add(
			verdict,
			"No local message was seen: all %llu were from or to another machine, "
			"or a process that is not traced.",
			(unsigned long long)integrity->elsewhere);
	else if (!integrity->sent && has_connections_alone(summary))
		connection_only_words(verdict, summary);
	else if (!integrity->sent)
		add_unseen(summary, verdict);
	else
		paragraph_add(verdict,
			      "Of %llu message%s none was matched, so nothing is explained.",
			      (unsigned long long)integrity->sent, plural(integrity->sent));
	return false;
}

/* The channel of most drops; NULL: none is known. */
static const struct channel_summary *most_drops(const struct summary *summary)
{
	const struct channel_summary *most = NULL;

	for (uint32_t i = 0; i < summary->channel_cnt; i++) {
		const struct channel_summary *channel = &summary->channel[i];

		if (channel->transport && channel->dropped > (most ? most->dropped : 0))
			most = channel;
	}
	return most;
}

/* The reason of most of what was dropped; DROP_UNKNOWN: it is not known. */
static enum drop_reason most_reason(const struct drops_summary *drops)
{
	enum drop_reason most = DROP_UNKNOWN;

	for (int i = 0; i < NR_DROP_REASONS; i++) {
		if (drops->reason[i] > drops->reason[most])
			most = i;
	}
	return most;
}

/* Nearly all of the drops of a channel. */
#define NEARLY_ALL_DROPS 0.9

/* Why. `channel`: the one of most drops, which has been named; NULL: none has. */
static void add_drop_reason(const struct drops_summary *drops,
			    const struct channel_summary *channel, struct paragraph *verdict)
{
	bool is_one = channel && !channel->folded && channel->id == drops->channel &&
		      (double)drops->channel_cnt >= NEARLY_ALL_DROPS * (double)channel->dropped;
	enum drop_reason reason = is_one ? drops->channel_reason : most_reason(drops);
	const char *says = drop_reasons[reason].says;

	if (reason == DROP_UNKNOWN)
		says = "datagrams find no room when a receive buffer is full";
	else if (reason == DROP_BUFFER_FULL && !is_one)
		says = "receive buffers were full";
	if (says)
		paragraph_add(verdict, ": %s", says);
	if (says && is_one && drops->buffer_bytes)
		paragraph_add(verdict, " (%llu bytes)", (unsigned long long)drops->buffer_bytes);
}

/* What it has cost their senders. */
static void add_drop_timeouts(const struct drops_summary *drops, struct paragraph *verdict)
{
	double least_ns = (double)drops->timeout_least_ns, most_ns = (double)drops->timeout_most_ns;

	if (!drops->timeouts)
		return;
	paragraph_add(verdict,
		      ". A sender that had lost one waited for data until its own timeout of %s",
		      SPAN(least_ns));
	if (most_ns > SAME_TIMEOUT * least_ns)
		paragraph_add(verdict, " to %s", SPAN(most_ns));
	if (drops->timeouts > 1)
		paragraph_add(verdict, " (%llu times)", (unsigned long long)drops->timeouts);
}

/* What is lost counts more than what is slow. */
static void add_drops(const struct summary *summary, struct paragraph *verdict)
{
	const struct integrity *integrity = &summary->integrity;
	double share = (double)integrity->dropped / (double)integrity->sent;
	const struct channel_summary *channel = most_drops(summary);

	if (!integrity->dropped || share < DROPS_MATTER)
		return;
	paragraph_add(verdict, "%s of the messages were dropped by the kernel", PERCENT(share));
	if (channel) {
		struct end_summary process = channel_process(channel, false);

		paragraph_add(verdict, ", most of them at the socket of %s on %s",
			      PROCESS(summary, &process), channel->name);
	}
	add_drop_reason(&summary->drops, channel, verdict);
	add_drop_timeouts(&summary->drops, verdict);
	if (most_reason(&summary->drops) == DROP_BUFFER_FULL)
		paragraph_add(verdict, ". To do: %s", remedies[REMEDY_DROPS].helps);
	paragraph_add(verdict, ". ");
}

/* Connections that waited for longer than nearly all calls take. */
static void add_connections(const struct summary *summary, struct paragraph *verdict)
{
	const struct stat *calls = &summary->calls.round_trip;
	uint64_t usual_ns = calls->count ? stat_percentile(calls, 99) : 0;
	size_t before = verdict->length;

	if (summary->info.mode == MODE_ATTACH)
		connection_verdict_words(verdict, summary, usual_ns);
	if (verdict->length > before)
		paragraph_add(verdict, ". ");
}

void verdict_troubles(struct paragraph *verdict, const struct summary *summary)
{
	if (!summary->info.traced)
		return;
	add_connections(summary, verdict);
	if (summary->integrity.sent)
		waiting_end_words(verdict, summary);
	if (summary->latency.count)
		add_drops(summary, verdict);
}

void verdict_words(struct paragraph *verdict, const struct whole *whole, enum words_extent extent)
{
	const struct summary *summary = whole->summary;

	verdict_troubles(verdict, summary);
	if (verdict->length && extent == WORDS_LEAST)
		return;
	if (!add_nothing(summary, verdict))
		return;
	if (!summary->info.traced) {
		paragraph_add(verdict,
			      summary->latency.count
				      ? "Untraced: these latencies are the clients' own clock "
					"readings; their components were not measured."
				      : "Untraced: only the throughput was measured, no latency.");
		return;
	}
	if (whole->unit == WHOLE_MESSAGE)
		several_words(verdict, &summary->calls, false);
	if (whole->unit != WHOLE_MESSAGE || !chain_words(verdict, summary))
		whole_cause_words(verdict, whole, extent);
	if (whole->unit == WHOLE_CALL)
		several_words(verdict, &summary->calls, true);
	if (whole->unit == WHOLE_EXCHANGE)
		exchange_message_words(verdict, summary);
}
