/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Says in a line each whether all messages are in the figures, and how much ipctrace itself was in
 * the way.
 */
#include "insight/metrics.h"
#include "report/words/explain/cause_words.h"
#include "report/words/labels.h"
#include "report/words/summary_words.h"
#include "report/words/whole_words.h"

#define UNASKED      0.01 /* so many of the answers are no greetings any more */
#define FEW_MISSING  0.01 /* of all messages: the figures are those of nearly all */
#define MANY_MISSING 0.05 /* the same: they may be those of other messages */
#define MANY_LOST    0.01 /* records, by messages */
#define TENTHS_MIN   1000 /* fewer units have no percentile 99.9 */

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

bool lacks_messages(const struct integrity *integrity)
{
	return integrity->sent &&
	       (lost_many(integrity) || missing_share(integrity) >= MANY_MISSING);
}

/* Each lost record may be the only one of a message. */
static double missing_at_most(const struct integrity *integrity)
{
	double all = (double)(integrity->sent + integrity_lost(integrity));
	double present = (double)(integrity->matched + integrity->dropped);

	return present < all ? 1 - present / all : 0;
}

void complete_words(struct paragraph *line, const struct integrity *integrity,
		    const struct run_info *info, bool verified)
{
	unsigned long long sent = integrity->sent, matched = integrity->matched;
	bool adds_up = info->traced && !integrity->residual_ns_max;
	double missing = missing_share(integrity);

	if (!sent)
		paragraph_add(line, "%s: no message was seen",
			      integrity_lost(integrity) || integrity->truncated
				      ? "not known"
				      : "nothing to match");
	else if (matched == sent && !lost_many(integrity))
		paragraph_add(line, "yes: all %llu message%s matched%s", sent, plural(sent),
			      adds_up ? ", parts add up" : "");
	else if (matched && matched + integrity->dropped == sent && !lost_many(integrity))
		paragraph_add(line, "yes: all %llu message%s that arrived matched%s", matched,
			      plural(matched), adds_up ? ", parts add up" : "");
	else if (lost_many(integrity))
		paragraph_add(line, "no: %llu of %llu recorded messages matched", matched, sent);
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

/* The figures that the longest wait for ipctrace may have made; NULL: none. */
static const char *touched_figures(const struct stat *stat, uint64_t longest_ns)
{
	if (stat->count >= PERCENTILES_MIN && longest_ns >= stat_percentile(stat, 99))
		return "p99 and the maximum";
	if (stat->count >= TENTHS_MIN && longest_ns >= stat_percentile(stat, 99.9))
		return "p99.9 and the maximum";
	return longest_ns >= stat->max / 2 ? "the maximum" : NULL;
}

/* The figures that may be wrong come first, then the wait that is why, then its share of all. */
static void add_own_waits(struct paragraph *line, const struct summary *summary, double own)
{
	const struct stat *stat = disturbed_stat(summary);
	bool is_of_messages = stat == &summary->latency;
	const char *time = is_of_messages ? "the latency" : "call time";
	uint64_t longest_ns = own_longest_wait_ns(summary);
	const char *touched = longest_ns ? touched_figures(stat, longest_ns) : NULL;

	paragraph_add(line, "%s: %s of %s",
		      own >= DISTURBING_SHARE ? "yes"
		      : touched               ? "a little"
					      : "hardly",
		      PERCENT(own), time);
	if (touched)
		paragraph_add(line, "; %s may be due to ipctrace: one %s waited %s for it", touched,
			      is_of_messages ? "message" : "call", SPAN((double)longest_ns));
	else if (longest_ns)
		paragraph_add(line, ", longest wait for ipctrace %s", SPAN((double)longest_ns));
}

void disturbed_words(struct paragraph *line, const struct summary *summary)
{
	const struct observer *observer = &summary->observer;
	double own = own_share(summary);

	if (!summary->info.traced || !summary->latency.count)
		return;
	if (own > 0)
		add_own_waits(line, summary, own);
	else
		paragraph_add(line, "no: no message waited for ipctrace itself");
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
	double own = own_share(summary);

	if (integrity->sent && lost_many(integrity))
		paragraph_add(line,
			      "%llu records were lost: up to %s of the messages are missing, and "
			      "rates are too low",
			      (unsigned long long)integrity_lost(integrity),
			      PERCENT(missing_at_most(integrity)));
	else if (lacks_messages(integrity))
		paragraph_add(line, "%s of the messages are missing: slow ones may be among them",
			      PERCENT(missing_share(integrity)));
	if (summary->info.traced && summary->latency.count && own >= DISTURBING_SHARE)
		paragraph_add(line, "%s%s of %s is waiting for ipctrace itself",
			      line->length ? "; " : "", PERCENT(own),
			      disturbed_stat(summary) == &summary->latency ? "the latency"
									   : "call time");
}
