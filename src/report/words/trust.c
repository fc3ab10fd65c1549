/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Says in a line each whether all messages are in the figures, and how much ipctrace itself was in
 * the way.
 */
#include "insight/metrics.h"
#include "report/words/explain/cause_words.h"
#include "report/words/labels.h"
#include "report/words/summary_words.h"

#define UNASKED      0.01 /* so many of the answers are no greetings any more */
#define FEW_MISSING  0.01 /* of all messages: the figures are those of nearly all */
#define MANY_MISSING 0.05 /* the same: they may be those of other messages */
#define MANY_LOST    0.01 /* records, by messages */

static void add_problems(struct paragraph *line, const struct integrity *integrity, bool verified)
{
	unsigned long long incomplete = integrity_incomplete(integrity);
	unsigned long long lost = integrity_lost(integrity), dropped = integrity->dropped;

	/* Nothing is wrong with the trace of a datagram that had no receiver. */
	if (dropped && dropped <= incomplete) {
		paragraph_add(line, ", %llu dropped by the kernel", dropped);
		incomplete -= dropped;
	}
	if (incomplete)
		paragraph_add(line, ", %llu incomplete", incomplete);
	paragraph_add(line, ", %llu record%s lost", lost, plural(lost));
	if (verified && integrity->corrupt)
		paragraph_add(line, ", %llu corrupt", (unsigned long long)integrity->corrupt);
	for (int i = 0; i < NR_MATCHES; i++) {
		/* The figures of the resynced are exact. */
		if (i != MATCH_EXACT && i != MATCH_RESYNCED && integrity->match[i])
			paragraph_add(line, ", %llu %s", (unsigned long long)integrity->match[i],
				      match_names[i]);
	}
	if (integrity->residual_ns_max)
		paragraph_add(line, "; components miss the latency by up to %llu ns",
			      (unsigned long long)integrity->residual_ns_max);
	if (integrity->truncated)
		paragraph_add(line, "; the recording is cut off");
}

/* Of the messages that arrived. */
static double missing_share(const struct integrity *integrity)
{
	uint64_t arrived = integrity->sent - integrity->dropped;

	return integrity->dropped <= integrity->sent && arrived > integrity->matched
		       ? 1 - (double)integrity->matched / (double)arrived
		       : 0;
}

/* Messages of which all records are lost are not even counted. */
static bool lost_many(const struct integrity *integrity)
{
	return (double)integrity_lost(integrity) >= MANY_LOST * (double)integrity->sent &&
	       integrity_lost(integrity);
}

void complete_words(struct paragraph *line, const struct integrity *integrity,
		    const struct run_info *info, bool verified)
{
	unsigned long long sent = integrity->sent, matched = integrity->matched;
	bool adds_up = info->traced && !integrity->residual_ns_max;
	double missing = missing_share(integrity);

	if (!sent)
		paragraph_add(line, "%s: no message was seen",
			      integrity_lost(integrity) || integrity->truncated ? "not known"
										: "yes");
	else if (matched == sent && !lost_many(integrity))
		paragraph_add(line, "yes: all %llu message%s matched%s", sent, plural(sent),
			      adds_up ? ", parts add up" : "");
	else if (matched && matched + integrity->dropped == sent && !lost_many(integrity))
		paragraph_add(line, "yes: all %llu message%s that arrived matched%s", matched,
			      plural(matched), adds_up ? ", parts add up" : "");
	else if (lost_many(integrity))
		paragraph_add(line,
			      "no: of the messages that were recorded, %llu of %llu matched%s",
			      matched, sent, adds_up && matched ? ", parts add up" : "");
	else
		paragraph_add(line, "%s%s: %llu of %llu messages matched%s",
			      missing < FEW_MISSING ? "nearly, "
			      : matched             ? "no, "
						    : "no",
			      matched ? PERCENT(1 - missing) : "", matched, sent,
			      adds_up && matched ? ", parts add up" : "");
	add_problems(line, integrity, verified);
}

static void add_untimed(struct paragraph *line, const struct summary *summary)
{
	const struct calls_summary *calls = &summary->calls;

	if (calls->unbalanced)
		paragraph_add(line,
			      "; no time is known of %llu of %llu calls: requests and answers do "
			      "not balance",
			      (unsigned long long)calls->unbalanced,
			      (unsigned long long)calls_seen(calls));
	if (summary->info.calls_in_turn && (double)calls->unasked > UNASKED * (double)calls->count)
		paragraph_add(line,
			      "; %llu answers had no request left: --calls fifo takes each message "
			      "for one request or one answer, which is not so here",
			      (unsigned long long)calls->unasked);
}

void run_complete_words(struct paragraph *line, const struct summary *summary)
{
	complete_words(line, &summary->integrity, &summary->info, verifies(summary));
	add_untimed(line, summary);
}

/* Of the units of which most is said. */
static const struct stat *disturbed_stat(const struct summary *summary)
{
	return own_share_of_calls(summary) > own_share_of_messages(summary)
		       ? &summary->calls.round_trip
		       : &summary->latency;
}

/* Whether the longest wait can be what makes the slowest ones slow. */
static void add_touched(struct paragraph *line, const struct stat *stat, uint64_t longest_ns)
{
	if (longest_ns >= stat_percentile(stat, 99))
		paragraph_add(line, ", so p99 and the maximum may be its own");
	else if (longest_ns >= stat_percentile(stat, 99.9))
		paragraph_add(line, ", so p99.9 and the maximum may be its own");
	else if (longest_ns >= stat->max / 2)
		paragraph_add(line, ", so the maximum may be its own");
}

void disturbed_words(struct paragraph *line, const struct summary *summary)
{
	const struct observer *observer = &summary->observer;
	const struct stat *stat = disturbed_stat(summary);
	uint64_t longest_ns = own_longest_wait_ns(summary);
	double own = own_share(summary);

	if (!summary->info.traced || !summary->latency.count)
		return;
	if (own > 0)
		paragraph_add(line, "%s of %s", PERCENT(own),
			      stat == &summary->latency ? "the latency" : "call time");
	else
		paragraph_add(line, "no: no message waited for ipctrace itself");
	if (own > 0 && longest_ns) {
		paragraph_add(line, "; longest wait behind ipctrace %s", SPAN((double)longest_ns));
		add_touched(line, stat, longest_ns);
	}
	if (observer->measured)
		paragraph_add(line, "; its BPF code takes %.1f us per message",
			      observer->bpf_ns_per_message / 1e3);
	if (observer->effect.pairs)
		paragraph_add(line, "; tracing makes the latency %.2f times as long",
			      observer->effect.ratio);
}

void unreliable_words(struct paragraph *line, const struct summary *summary)
{
	const struct integrity *integrity = &summary->integrity;
	double missing = missing_share(integrity), own = own_share(summary);

	if (integrity->sent && missing >= MANY_MISSING)
		paragraph_add(line, "%s of the messages are missing: slow ones may be among them",
			      PERCENT(missing));
	if (integrity->sent && lost_many(integrity))
		paragraph_add(
			line, "%s%llu records were lost: messages are missing, rates are too low",
			line->length ? "; " : "", (unsigned long long)integrity_lost(integrity));
	if (summary->info.traced && summary->latency.count && own >= DISTURBING_SHARE)
		paragraph_add(line, "%s%s of %s is waiting for ipctrace itself",
			      line->length ? "; " : "", PERCENT(own),
			      disturbed_stat(summary) == &summary->latency ? "the latency"
									   : "call time");
}
