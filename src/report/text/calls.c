/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints the sections on calls, late senders, throughput, fairness and background load. A call is
 * a request and its answer.
 */
#include "insight/metrics.h"
#include "report/words/labels.h"
#include "report/words/culprits.h"
#include "report/words/focus.h"
#include "report/text/sections.h"
#include "report/text/stat_table.h"

#include <math.h>

#define SYSCALLS_NAMED 4
#define IS_NAMED       0.01 /* of the sleeps, but the first one always */

/* What the thread slept in. */
static void sleep_words(uint16_t call, const struct run_info *info, char words[NAME_LEN])
{
	if (call == CALL_UNKNOWN)
		snprintf(words, NAME_LEN, "a sleep that was being ended");
	else if (call == CALL_OUTSIDE)
		snprintf(words, NAME_LEN, "no call (a page fault, say)");
	else if (call == CALL_STOPPED)
		snprintf(words, NAME_LEN, "no call (stopped by a signal, say)");
	else
		syscall_name(info->host.arch, call, words);
}

void blocked_calls_words(struct paragraph *paragraph, const char *before,
			 const struct blocked_calls *blocked, const struct run_info *info)
{
	double all_ns = (double)blocked_calls_ns(blocked);
	uint32_t named = 0;
	char name[NAME_LEN];

	if (info->mode != MODE_ATTACH)
		return;
	for (; named < blocked->cnt && named < SYSCALLS_NAMED; named++) {
		double share = (double)blocked->entry[named].ns / all_ns;

		if (named && share < IS_NAMED)
			break;
		sleep_words(blocked->entry[named].call, info, name);
		paragraph_add(paragraph, "%s%s %s", named ? ", " : before, name, PERCENT(share));
	}
	if (blocked->cnt > named)
		paragraph_add(paragraph, ", %u more", blocked->cnt - named);
}

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

static void service_line(const struct text *text, const struct summary *summary)
{
	static const char *const names[NR_SERVICE_STATES] = {
		[SERVICE_ON_CPU] = "on CPU",
		[SERVICE_RUNQUEUE] = "waiting for a CPU",
		[SERVICE_BLOCKED] = "asleep",
		[SERVICE_WAKEUP] = "being woken",
	};
	const struct calls_summary *calls = &summary->calls;
	const struct run_info *info = &summary->info;
	struct paragraph line = {0};
	double all_ns = 0;

	for (int i = 0; i < NR_SERVICE_STATES; i++)
		all_ns += (double)calls->state_ns[i];
	if (!info->traced || !calls->count || (calls->state_cnt && all_ns <= 0))
		return;
	if (!service_is_known(calls)) {
		unknown_service(&line, calls);
		paragraph_print(text, INK_BOLD, "service", &line);
		return;
	}
	paragraph_add(&line, "the server was ");
	for (int i = 0; i < NR_SERVICE_STATES; i++) {
		if (i < NR_SERVICE_STATES_10 || calls->state_ns[i])
			paragraph_add(&line, "%s%s %.1f us (%s)", i ? ", " : "", names[i],
				      (double)calls->state_ns[i] / (double)calls->state_cnt / 1e3,
				      PERCENT((double)calls->state_ns[i] / all_ns));
	}
	if (calls->state_ns[SERVICE_BLOCKED])
		blocked_calls_words(&line, ", in ", &calls->blocked, info);
	if (calls->followed)
		paragraph_add(&line, "; in %s of calls the work went from thread to thread",
			      PERCENT((double)calls->followed / (double)calls->state_cnt));
	if (calls->blame_cnt) {
		paragraph_add(&line, "; it waited because of ");
		culprits_add(&line, summary, blame_of_services(summary), all_ns);
	}
	add_uncut(&line, calls);
	paragraph_print(text, INK_BOLD, "service", &line);
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

/* How sure it is which request an answer belongs to. */
static void ambiguity_line(const struct text *text, const struct calls_summary *calls)
{
	uint64_t all = calls_seen(calls);
	struct paragraph line = {0};

	if (calls->open_several.count)
		paragraph_add(
			&line,
			"%llu of %llu calls had several requests open on their connection, so it "
			"is "
			"not known which answer is whose. They are shown apart, as if answers came "
			"in the order of requests: then the mean is right in any order, if each "
			"request and answer was one message. With --calls fifo they are exact, if "
			"the server answers in that order",
			(unsigned long long)calls->open_several.count, (unsigned long long)all);
	if (calls->unbalanced) {
		begin_sentence(&line);
		paragraph_add(&line,
			      "for %llu of %llu calls not even the mean is known: with several "
			      "requests open, some request had no answer, or some answer no "
			      "request",
			      (unsigned long long)calls->unbalanced, (unsigned long long)all);
	}
	if (calls->guessed) {
		begin_sentence(&line);
		paragraph_add(
			&line,
			"for %llu of %llu calls it is a guess which end is the client: the end "
			"that sent first (--server and --client say it)",
			(unsigned long long)calls->guessed, (unsigned long long)all);
	}
	if (calls->ambiguous) {
		begin_sentence(&line);
		paragraph_add(&line,
			      "%llu of %llu calls have an ambiguous request or answer, which "
			      "may belong to another call",
			      (unsigned long long)calls->ambiguous, (unsigned long long)all);
	}
	parts_sentences(&line, calls);
	paragraph_print(text, INK_BOLD, "calls", &line);
}

/* An attach at level light knows no begin and no end of a system call. */
static void level_line(const struct text *text, const struct run_info *info)
{
	struct paragraph line = {0};

	if (info->mode != MODE_ATTACH || info->level != LEVEL_LIGHT)
		return;
	paragraph_add(&line, "a round trip begins when its request can be read and ends when the "
			     "kernel hands over its answer: it lacks the send path of the request "
			     "and the end of the last receive call, so the client's own clock "
			     "shows more; level full has both");
	paragraph_print(text, INK_WARNING, "level light", &line);
}

void text_calls(const struct text *text, const struct summary *summary)
{
	const struct stat_table table = {.text = text, .label_width = 14, .cell_width = 9};
	const struct calls_summary *calls = &summary->calls;

	if (!calls_seen(calls))
		return;
	text_newline(text);
	text_stat_heading(&table, is_one_of_several(calls) ? "all calls (us)" : "calls (us)");
	text_stat_row(&table, "  request", &calls->request);
	text_stat_row(&table, "  service", &calls->service);
	text_stat_row(&table, "  response", &calls->response);
	if (calls->response_first.sum != calls->response.sum)
		text_stat_row(&table, "    first part", &calls->response_first);
	text_stat_row(&table, "  round trip", &calls->round_trip);
	text_stat_row(&table, "  several open", &calls->open_several);
	text_stat_row(&table, "  due to end", &calls->from_due);
	level_line(text, &summary->info);
	service_line(text, summary);
	ambiguity_line(text, calls);
}

/* Coordinated omission: what a late sender hides. */
void text_due(const struct text *text, const struct summary *summary)
{
	bool calls = summary->calls.from_due.count > 0;
	const struct stat *due = calls ? &summary->calls.from_due : &summary->from_due;
	const struct stat *raw = calls ? &summary->calls.round_trip : &summary->latency;
	struct paragraph line = {0};

	if (!due->count)
		return;
	paragraph_add(&line,
		      "mean %.1f us, p99 %.1f us from the time at which the message was due, "
		      "against %.1f us and %.1f us from the time at which it was sent; a late "
		      "sender hides the difference",
		      stat_mean(due) / 1e3, (double)stat_percentile(due, 99) / 1e3,
		      stat_mean(raw) / 1e3, (double)stat_percentile(raw, 99) / 1e3);
	paragraph_print(text, INK_BOLD, "from due", &line);
}

static void wakes_line(const struct text *text, const struct flow_summary *flow)
{
	uint64_t merged = flow->wakes_sent > flow->wakes_delivered
				  ? flow->wakes_sent - flow->wakes_delivered
				  : 0;
	struct paragraph line = {0};

	if (!flow->wakes_sent)
		return;
	paragraph_add(&line, "%llu sent, %llu delivered, %llu merged with one that was pending",
		      (unsigned long long)flow->wakes_sent,
		      (unsigned long long)flow->wakes_delivered, (unsigned long long)merged);
	paragraph_print(text, INK_BOLD, "signals", &line);
}

void text_flow(const struct text *text, const struct summary *summary)
{
	const struct workload_spec *spec = &summary->info.workload;
	const struct flow_summary *flow = &summary->flow;
	double rate = messages_per_second(summary);
	struct paragraph line = {0};

	if (!spec_has_rounds(spec) && isfinite(rate)) {
		paragraph_add(&line, "%.0f %s/s, %.2f MB/s: %llu in %.3f s", rate,
			      spec_has_connections(spec) ? "connections"
			      : spec_has_calls(spec)     ? "exchanges"
							 : "messages",
			      bytes_per_second(summary) / 1e6, (unsigned long long)flow->messages,
			      flow->seconds);
		if (summary->observer.pauses)
			paragraph_add(&line, ", of which %.2f s are pauses (see observer)",
				      (double)summary->observer.paused_ns / 1e9);
		paragraph_print(text, INK_BOLD, "throughput", &line);
	}
	wakes_line(text, flow);
}

static uint64_t whole_us(uint64_t ns)
{
	return ns / 1000 * 1000;
}

/* With a tick all clients need the same time. */
void text_fairness(const struct text *text, const struct summary *summary)
{
	struct paragraph line = {0};
	struct fairness fairness;

	if (spec_has_rounds(&summary->info.workload) || !fairness_of(summary, &fairness))
		return;
	paragraph_add(&line, "clients took %s to %s, a spread of %s of their mean",
		      DURATION(whole_us(fairness.shortest_ns)),
		      DURATION(whole_us(fairness.longest_ns)), PERCENT(fairness.spread));
	if (fairness.gap_ns)
		paragraph_add(&line, "; longest starvation: %s without a message, client %u",
			      DURATION(whole_us(fairness.gap_ns)), fairness.client);
	paragraph_print(text, INK_BOLD, "fairness", &line);
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

void text_load(const struct text *text, const struct summary *summary)
{
	struct paragraph line = {0};

	load_words(&line, &summary->info.workload, &summary->load);
	paragraph_print(text, summary->load.ended ? INK_WARNING : INK_BOLD, "load", &line);
}
