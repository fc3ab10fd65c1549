/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Says of calls what the figures do not: what the server did in them, which answers are certain,
 * and what level light leaves out. A call is a request and its answer.
 */
#include "insight/metrics.h"
#include "report/words/culprits.h"
#include "report/words/summary_words.h"

/* Why the service of some calls is not cut into states. */
static void add_uncut(struct paragraph *line, const struct calls_summary *calls)
{
	uint64_t gaps = service_gaps(calls);

	if (calls->handed_over)
		paragraph_add(line,
			      "; not known for %llu call%s, because no event shows how the work "
			      "went to another thread",
			      (unsigned long long)calls->handed_over, plural(calls->handed_over));
	if (gaps)
		paragraph_add(line, "; not known for %llu call%s, because records are missing",
			      (unsigned long long)gaps, plural(gaps));
}

/* The states of a few calls are not those of the service. */
static void unknown_service(struct paragraph *line, const struct calls_summary *calls)
{
	if (calls->state_cnt)
		paragraph_add(line,
			      "what the server did is known for only %llu of %llu calls, which is "
			      "too few to show",
			      (unsigned long long)calls->state_cnt,
			      (unsigned long long)service_tries(calls));
	else
		paragraph_add(line, "what the server did is not known");
	add_uncut(line, calls);
}

void service_states_words(struct paragraph *line, const struct summary *summary)
{
	const struct calls_summary *calls = &summary->calls;
	const struct run_info *info = &summary->info;
	double all_ns = 0;

	for (int i = 0; i < NR_SERVICE_STATES; i++)
		all_ns += (double)calls->state_ns[i];
	if (!info->traced || !calls->count || (calls->state_cnt && all_ns <= 0))
		return;
	if (!service_is_known(calls)) {
		unknown_service(line, calls);
		return;
	}
	paragraph_add(line, "the server was ");
	for (int i = 0; i < NR_SERVICE_STATES; i++) {
		if (i < NR_SERVICE_STATES_10 || calls->state_ns[i])
			paragraph_add(line, "%s%s %.1f us (%s)", i ? ", " : "",
				      service_states[i].is,
				      (double)calls->state_ns[i] / (double)calls->state_cnt / 1e3,
				      PERCENT((double)calls->state_ns[i] / all_ns));
	}
	if (calls->state_ns[SERVICE_BLOCKED])
		blocked_calls_words(line, ", in ", &calls->blocked, info);
	if (calls->followed)
		paragraph_add(line, "; in %s of calls the work went from thread to thread",
			      PERCENT((double)calls->followed / (double)calls->state_cnt));
	if (calls->blame_cnt) {
		paragraph_add(line, "; it waited because of ");
		culprits_add(line, summary, blame_of_services(summary), all_ns);
	}
	add_uncut(line, calls);
}

/* Begins a sentence of the paragraph, behind others. */
static void begin_sentence(struct paragraph *line)
{
	if (line->length)
		paragraph_add(line, "; ");
}

/* Which messages make a call is not always certain. */
static void parts_sentences(struct paragraph *line, const struct calls_summary *calls)
{
	char count_text[24];

	snprintf(count_text, sizeof(count_text), "%llu", (unsigned long long)calls->undecided);
	if (calls->in_parts) {
		begin_sentence(line);
		paragraph_add(line,
			      "the request of %llu call%s came in several messages: if each was a "
			      "request of its own, there were more calls",
			      (unsigned long long)calls->in_parts, plural(calls->in_parts));
	}
	if (calls->unasked) {
		begin_sentence(line);
		paragraph_add(line, "%llu message%s of servers belong%s to no call",
			      (unsigned long long)calls->unasked, plural(calls->unasked),
			      calls->unasked == 1 ? "s" : "");
	}
	if (calls->undecided)
		paragraph_add(
			line,
			", %s of them because the server sent them after it had received "
			"something from another client: if they belong to an answer, that call "
			"took longer",
			calls->undecided == calls->unasked ? "all" : count_text);
}

void ambiguity_words(struct paragraph *line, const struct summary *summary)
{
	const struct calls_summary *calls = &summary->calls;
	uint64_t all = calls_seen(calls);

	if (calls->open_several.count)
		paragraph_add(
			line,
			"%llu of %llu calls had several requests open on their connection, so it "
			"is "
			"not known which answer is whose. They are shown apart, as if answers came "
			"in the order of requests: then the mean is right in any order, if each "
			"request and answer was one message. With --calls fifo they are exact, if "
			"the server answers in that order",
			(unsigned long long)calls->open_several.count, (unsigned long long)all);
	if (calls->unbalanced) {
		begin_sentence(line);
		paragraph_add(line,
			      "for %llu of %llu calls not even the mean is known: with several "
			      "requests open, some request had no answer, or some answer no "
			      "request",
			      (unsigned long long)calls->unbalanced, (unsigned long long)all);
	}
	if (calls->guessed) {
		begin_sentence(line);
		paragraph_add(
			line,
			"for %llu of %llu calls it is a guess which end is the client: the end "
			"that sent first (--server and --client say it)",
			(unsigned long long)calls->guessed, (unsigned long long)all);
	}
	if (calls->ambiguous) {
		begin_sentence(line);
		paragraph_add(line,
			      "%llu of %llu calls have an ambiguous request or answer, which "
			      "may belong to another call",
			      (unsigned long long)calls->ambiguous, (unsigned long long)all);
	}
	parts_sentences(line, calls);
}

void level_words(struct paragraph *line, const struct summary *summary)
{
	const struct run_info *info = &summary->info;

	if (info->mode != MODE_ATTACH || info->level != LEVEL_LIGHT)
		return;
	paragraph_add(line, "a round trip begins when its request can be read and ends when the "
			    "kernel hands over its answer: it lacks the send path of the request "
			    "and the end of the last receive call, so the client's own clock "
			    "shows more; level full has both");
}
