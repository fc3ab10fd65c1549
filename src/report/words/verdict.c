/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The first sentence of a report, which names the largest part of the latency: of messages, of
 * calls (call_words.c), or of a chain from process to process. If there is none, it says what was
 * not found, and which processes there were instead.
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

#define TAIL_FACTOR  2     /* mean by median */
#define SKEW_FACTOR  1.25  /* the same: the mean is not typical */
#define DROPS_MATTER 0.01  /* of all messages */
#define SAME_TIMEOUT 1.05  /* longest by shortest */
#define WORTH_SAYING 0.005 /* of the mean: waiting for ipctrace itself */
#define MOST         0.5   /* of all messages */
#define HOPS_MIN     3     /* a pipeline of two hops is a reader that also writes */

const char *const choice_options[NR_CHOICES] = {
	[CHOICE_PEER] = "peer", [CHOICE_SERVER] = "server", [CHOICE_CLIENT] = "client"};

const char *choice_wanted(const struct summary *summary, enum choice_kind kind)
{
	const char *const wanted[NR_CHOICES] = {[CHOICE_PEER] = summary->info.peer,
						[CHOICE_SERVER] = summary->info.server,
						[CHOICE_CLIENT] = summary->info.client};

	return wanted[kind];
}

bool choice_is_in_vain(const struct summary *summary, enum choice_kind kind)
{
	return choice_wanted(summary, kind)[0] && summary->choice[kind].others &&
	       !summary->choice[kind].matched;
}

/* Without a script: the option compares with this name and this number. */
static void add_seen(struct paragraph *line, const struct chosen_process *seen)
{
	const char *comm = seen->end.comm[0] ? seen->end.comm : "?";

	if (seen->end.pid)
		paragraph_add(line, "%s (%s)", comm, PID(seen->end.pid));
	else
		paragraph_add(line, "several %s", comm);
}

void choice_words(struct paragraph *line, const struct summary *summary, enum choice_kind kind)
{
	const struct choice_summary *choice = &summary->choice[kind];
	uint32_t shown = choice->names < CHOICE_SEEN_MAX ? choice->names : CHOICE_SEEN_MAX;

	paragraph_add(line, "no process of the %llu message%s has this name or PID",
		      (unsigned long long)choice->others, plural(choice->others));
	for (uint32_t i = 0; i < shown; i++) {
		paragraph_add(line, "%s",
			      !i                                         ? ": there are "
			      : i + 1 == shown && choice->names == shown ? " and "
									 : ", ");
		add_seen(line, &choice->seen[i]);
	}
	if (choice->names > shown)
		paragraph_add(line, " and %u more name%s", choice->names - shown,
			      plural(choice->names - shown));
}

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
	paragraph_add(verdict, "'sudo ipctrace list' shows the local channels of this machine and "
			       "how to attach to them.");
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

/* The components of the messages, and of those without the slowest 1 % for each component. */
static enum component usual_part(const struct summary *summary, double *share, bool *is_trimmed)
{
	double mean_ns[NR_COMPONENTS], usual_ns[NR_COMPONENTS];
	enum component part, usual;

	for (int i = 0; i < NR_COMPONENTS; i++) {
		mean_ns[i] = stat_mean(&summary->component[i]);
		usual_ns[i] = stat_mean_of_least(&summary->component[i], USUAL_PERCENT);
	}
	part = components_largest(mean_ns);
	usual = components_largest(usual_ns);
	*is_trimmed = usual != part && components_ns(usual_ns) > 0;
	*share = *is_trimmed ? usual_ns[usual] / components_ns(usual_ns)
			     : share_of_latency(summary, mean_ns[part]);
	return *is_trimmed ? usual : part;
}

static void verdict_add_largest_part(const struct summary *summary, struct paragraph *verdict)
{
	bool is_trimmed;
	double share;
	enum component part = usual_part(summary, &share, &is_trimmed);

	if (is_trimmed)
		paragraph_add(verdict, "Without the slowest 1 %% of messages: ");
	paragraph_add(verdict, "%s of the mean latency (%s) is ", share_words(share),
		      PERCENT(share));
	component_words(verdict, summary, part);
	paragraph_add(verdict, ".");
}

/* Says so if the mean is that of few messages or calls only, or of ipctrace's own making. */
static void add_doubts(const struct summary *summary, bool speaks_of_calls,
		       struct paragraph *verdict)
{
	const struct stat *stat = speaks_of_calls ? &summary->calls.round_trip : &summary->latency;
	const char *unit = speaks_of_calls ? "calls" : "messages";
	const char *whole = speaks_of_calls ? "a call" : "the latency";
	double median_ns = (double)stat_percentile(stat, 50);
	double own = speaks_of_calls ? own_share_of_calls(summary) : own_share_of_messages(summary);
	double own_of_waits = speaks_of_calls ? own_share_of_call_waits(summary)
					      : own_share_of_message_waits(summary);

	if (stat_mean(stat) >= TAIL_FACTOR * median_ns)
		paragraph_add(verdict,
			      " A few slow %s raise the mean: half of all %s take at most %.1f us.",
			      unit, unit, median_ns / 1e3);
	else if (stat_mean(stat) >= SKEW_FACTOR * median_ns)
		paragraph_add(verdict,
			      " Half of all %s take at most %.1f us, 99 %% at most %.1f us.", unit,
			      median_ns / 1e3, (double)stat_percentile(stat, 99) / 1e3);
	if (own >= DISTURBING_SHARE)
		paragraph_add(verdict,
			      " Waiting for ipctrace itself is %s of %s: leave a CPU free for it.",
			      PERCENT(own), whole);
	else if (own_of_waits >= DISTURBING_SHARE && own >= WORTH_SAYING)
		paragraph_add(verdict, " ipctrace itself is %s of the wait for a CPU, %s of %s.",
			      PERCENT(own_of_waits), PERCENT(own), whole);
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

/* Rounds of an attach that began late, or took longer than their period: an xrun of audio. */
static void add_missed(const struct rounds_summary *rounds, struct paragraph *verdict)
{
	uint64_t missed = rounds->missed.late + rounds->missed.unfinished;

	if (missed)
		paragraph_add(verdict, " %llu round%s missed the period of %.2f ms.",
			      (unsigned long long)missed, plural(missed),
			      (double)rounds->period_ns / 1e6);
}

/* Which end serves was decided as if nothing had been said of it. */
static void add_vain_choices(const struct summary *summary, struct paragraph *verdict)
{
	for (int i = CHOICE_SERVER; i < NR_CHOICES; i++) {
		if (choice_is_in_vain(summary, i))
			paragraph_add(verdict, " --%s '%s' matches no process of the messages.",
				      choice_options[i], choice_wanted(summary, i));
	}
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

void verdict_words(struct paragraph *verdict, const struct summary *summary)
{
	bool speaks_of_calls;

	verdict_troubles(verdict, summary);
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
	if (exchange_verdict_words(verdict, summary))
		return;
	speaks_of_calls = calls_words(verdict, summary);
	several_words(verdict, &summary->calls, speaks_of_calls);
	if (!speaks_of_calls && !chain_words(verdict, summary))
		verdict_add_largest_part(summary, verdict);
	add_missed(&summary->rounds, verdict);
	add_vain_choices(summary, verdict);
	add_doubts(summary, speaks_of_calls, verdict);
}
