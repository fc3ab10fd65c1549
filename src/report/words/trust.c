/* SPDX-License-Identifier: BSD-2-Clause */
/* One sentence on whether the figures can be trusted, and one on the cost of tracing. */
#include "model/join_outcome.h"
#include "insight/metrics.h"
#include "report/words/answers.h"

#define NEEDS_BASE 0.001 /* a smaller share is small of anything */
#define UNASKED    0.01  /* so many of the answers are no greetings any more */

static void add_problems(struct paragraph *paragraph, const struct integrity *integrity,
			 bool verified)
{
	unsigned long long incomplete = integrity_incomplete(integrity);
	unsigned long long lost = integrity_lost(integrity);

	if (incomplete)
		paragraph_add(paragraph, ", %llu incomplete", incomplete);
	paragraph_add(paragraph, ", %llu record%s lost", lost, plural(lost));
	if (verified && integrity->corrupt)
		paragraph_add(paragraph, ", %llu corrupt", (unsigned long long)integrity->corrupt);
	for (int i = 0; i < NR_MATCHES; i++) {
		/* The figures of the resynced are exact. */
		if (i != MATCH_EXACT && i != MATCH_RESYNCED && integrity->match[i])
			paragraph_add(paragraph, ", %llu %s",
				      (unsigned long long)integrity->match[i], match_names[i]);
	}
	if (integrity->residual_ns_max)
		paragraph_add(paragraph, "; components miss the latency by up to %llu ns",
			      (unsigned long long)integrity->residual_ns_max);
	if (integrity->truncated)
		paragraph_add(paragraph, "; the recording is cut off");
}

void trust_words(struct paragraph *paragraph, const struct integrity *integrity,
		 const struct run_info *info, double own_share, bool verified)
{
	unsigned long long sent = integrity->sent, matched = integrity->matched;
	const char *whole = own_share < DISTURBING_SHARE ? "yes" : "with care";
	bool adds_up = info->traced && !integrity->residual_ns_max;

	if (!sent)
		paragraph_add(paragraph, "%s: no message was seen",
			      integrity_lost(integrity) || integrity->truncated ? "in part"
										: "yes");
	else if (matched == sent)
		paragraph_add(paragraph, "%s: all %llu message%s matched%s", whole, sent,
			      plural(sent), adds_up ? ", parts add up" : "");
	else
		paragraph_add(paragraph, "in part: %llu of %llu messages matched%s", matched, sent,
			      adds_up && matched ? ", parts add up" : "");
	add_problems(paragraph, integrity, verified);
}

void untimed_words(struct paragraph *paragraph, const struct summary *summary)
{
	const struct calls_summary *calls = &summary->calls;

	if (calls->unbalanced)
		paragraph_add(paragraph,
			      "; no time is known of %llu of %llu calls: requests and answers do "
			      "not balance",
			      (unsigned long long)calls->unbalanced,
			      (unsigned long long)calls_seen(calls));
	if (summary->info.calls_in_turn &&
	    (double)calls->unasked > UNASKED * (double)calls->count)
		paragraph_add(paragraph,
			      "; %llu answers had no request left: --calls fifo takes each message "
			      "for one request or one answer, which is not so here",
			      (unsigned long long)calls->unasked);
}

void observer_words(struct paragraph *paragraph, const struct summary *summary)
{
	const struct observer *observer = &summary->observer;
	uint64_t longest_ns = own_longest_wait_ns(summary);
	double own = own_share(summary);

	if (!summary->info.traced || !summary->latency.count)
		return;
	paragraph_add(paragraph, "; waiting for ipctrace itself %s", PERCENT(own));
	if (own >= NEEDS_BASE)
		paragraph_add(paragraph, " of %s",
			      own > own_share_of_messages(summary) ? "a call" : "the latency");
	if (longest_ns)
		paragraph_add(paragraph, ", at most %.1f us", (double)longest_ns / 1e3);
	if (observer->measured)
		paragraph_add(paragraph, ", its BPF code %.1f us per message",
			      observer->bpf_ns_per_message / 1e3);
	if (observer->effect.pairs)
		paragraph_add(paragraph, ", tracing makes the latency %.2f times as long",
			      observer->effect.ratio);
	if (!observer->measured && !observer->effect.pairs)
		paragraph_add(paragraph, ", cost of its BPF code not known");
}
