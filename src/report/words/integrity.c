/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Says whether the figures can be trusted: how many messages and records are missing, whether the
 * recording keeps only slow messages, how much tracing costs, and how much time the host took away.
 */
#include "insight/metrics.h"
#include "report/words/labels.h"
#include "report/words/summary_words.h"

#define MUCH_STEAL 0.01 /* share of the CPUs' time */

/* The count of a reason is left out if it is the only one. */
static void add_incomplete(struct paragraph *paragraph, const struct integrity *integrity)
{
	const char *separator = " (";
	uint64_t cnt = integrity_incomplete(integrity);

	paragraph_add(paragraph, ", %llu incomplete", (unsigned long long)cnt);
	for (int i = 0; i < NR_INCOMPLETES; i++) {
		if (!integrity->incomplete[i])
			continue;
		paragraph_add(paragraph, "%s", separator);
		if (integrity->incomplete[i] < cnt)
			paragraph_add(paragraph,
				      "%llu: ", (unsigned long long)integrity->incomplete[i]);
		paragraph_add(paragraph, "%s", incompletes[i].text);
		separator = ", ";
	}
	if (cnt)
		paragraph_add(paragraph, ")");
}

static void add_lost(struct paragraph *paragraph, const struct integrity *integrity)
{
	const char *separator = " (";
	uint64_t cnt = integrity_lost(integrity);

	paragraph_add(paragraph, ", %llu lost", (unsigned long long)cnt);
	for (int i = 0; i < NR_LOSSES; i++) {
		if (!integrity->loss[i])
			continue;
		paragraph_add(paragraph, "%s%llu %s", separator,
			      (unsigned long long)integrity->loss[i], loss_texts[i]);
		separator = ", ";
	}
	if (cnt)
		paragraph_add(paragraph, ")");
}

/* Messages that were not joined exactly, or not at once. */
static void add_matches(struct paragraph *paragraph, const struct integrity *integrity)
{
	for (int i = 0; i < NR_MATCHES; i++) {
		if (i != MATCH_EXACT && integrity->match[i])
			paragraph_add(paragraph, ", %llu %s",
				      (unsigned long long)integrity->match[i], match_names[i]);
	}
	if (integrity->elsewhere)
		paragraph_add(paragraph,
			      "; %llu more with one end on another machine, or not traced",
			      (unsigned long long)integrity->elsewhere);
	if (integrity->notifications)
		paragraph_add(paragraph,
			      "; %llu notification%s more: writes to an eventfd that "
			      "nothing reads",
			      (unsigned long long)integrity->notifications,
			      plural(integrity->notifications));
}

void integrity_words(struct paragraph *paragraph, const struct integrity *integrity, bool traced,
		     bool verified)
{
	paragraph_add(paragraph, "%llu sent, %llu matched", (unsigned long long)integrity->sent,
		      (unsigned long long)integrity->matched);
	add_incomplete(paragraph, integrity);
	add_lost(paragraph, integrity);
	if (verified)
		paragraph_add(paragraph, ", %llu corrupt", (unsigned long long)integrity->corrupt);
	add_matches(paragraph, integrity);
	if (integrity->residual_ns_max)
		paragraph_add(paragraph, "; components miss the latency by up to %llu ns",
			      (unsigned long long)integrity->residual_ns_max);
	else if (traced && integrity->matched)
		paragraph_add(paragraph, "; every message adds up");
	if (integrity->unseen_switches)
		paragraph_add(paragraph,
			      "; in %llu message%s the start of the switch was not seen, so it "
			      "counts as run queue",
			      (unsigned long long)integrity->unseen_switches,
			      plural(integrity->unseen_switches));
	if (integrity->unseen_wakeups)
		paragraph_add(paragraph,
			      "; in %llu message%s the wakeup was not seen, so the run queue "
			      "counts as sleep",
			      (unsigned long long)integrity->unseen_wakeups,
			      plural(integrity->unseen_wakeups));
	if (integrity->truncated)
		paragraph_add(paragraph,
			      "; the recording breaks off before its end, and what was lost after "
			      "that is not known");
}

static void run_integrity_words(struct paragraph *line, const struct summary *summary)
{
	integrity_words(line, &summary->integrity, summary->info.traced, verifies(summary));
	if (summary->info.mode == MODE_ATTACH &&
	    summary->integrity.incomplete[INCOMPLETE_NOT_RECORDED])
		paragraph_add(line, "; there may be more messages without a record: the last ones "
				    "of a channel, or several in one gap of a stream");
}

/* Whether and when it was in the way of others. */
static void add_reader_time(struct paragraph *line, const struct observer *observer)
{
	if (observer->pauses)
		paragraph_add(
			line,
			"; so that no record is lost, the workload paused between two exchanges or "
			"rounds, %llu time%s for %.2f s in all, until the records were read",
			(unsigned long long)observer->pauses, plural(observer->pauses),
			(double)observer->paused_ns / 1e9);
	if (!observer->has_reader)
		return;
	if (observer->reader != READER_IDLE)
		paragraph_add(line, "; the reader of records did not yield its CPU");
	else if (observer->hurried_ns)
		paragraph_add(
			line,
			"; the reader of records yielded its CPU, except for %s, when records "
			"had to be read",
			DURATION(observer->hurried_ns));
	if (observer->start_ns >= LATE_START_NS)
		paragraph_add(line, "; tracing began %s after the start",
			      DURATION(observer->start_ns));
}

static void observer_details(struct paragraph *line, const struct summary *summary)
{
	const struct observer *observer = &summary->observer;
	uint64_t longest_ns = own_longest_wait_ns(summary);
	const struct run_info *info = &summary->info;

	/* What level light does not trace is said once for the whole report. */
	if (!info->traced)
		paragraph_add(line, "none: the run was not traced");
	else if (info->level == LEVEL_LIGHT)
		paragraph_add(line, "level light: system calls are not traced; %s",
			      info->mode == MODE_ATTACH
				      ? "latency begins when the data can be read; only unix "
					"sockets and TCP are traced; "
				      : "");
	if (observer->effect.pairs)
		paragraph_add(line,
			      "traced latency is %.3f times the untraced (95 %% interval %.3f to "
			      "%.3f, %u pairs of runs)%s",
			      observer->effect.ratio, observer->effect.low, observer->effect.high,
			      observer->effect.pairs, observer->measured ? "; " : "");
	if (observer->measured)
		paragraph_add(line,
			      "BPF programs take at most %.1f us per message: measured in the "
			      "warm-up, with the calls of other tasks",
			      observer->bpf_ns_per_message / 1e3);
	else if (summary->info.traced && !observer->effect.pairs)
		paragraph_add(line, "not measured in this run%s",
			      summary->info.mode == MODE_RUN ? " (--overhead does)" : "");
	if (longest_ns)
		paragraph_add(line,
			      "; no message waited longer than %.1f us for a CPU behind ipctrace "
			      "itself",
			      (double)longest_ns / 1e3);
	add_reader_time(line, observer);
}

/* Messages wait meanwhile, and nothing shows which: the kernel only counts, in ticks of 10 ms. */
static void steal_words(struct paragraph *line, const struct summary *summary)
{
	const char *separator = ": ";

	if (!summary->steal_cnt)
		return;
	paragraph_add(line, "the host took %s (%s) of the CPUs' time away while tracing",
		      DURATION(steal_ns(summary)), PERCENT(steal_share(summary)));
	for (uint32_t i = 0; i < summary->steal_cnt; i++) {
		const struct steal_summary *cpu = &summary->steal[i];

		if (!cpu->steal_ns)
			continue;
		paragraph_add(line, "%s%s of CPU %u", separator, DURATION(cpu->steal_ns), cpu->cpu);
		separator = ", ";
	}
}

void windows_words(struct paragraph *paragraph, const struct run_info *info)
{
	paragraph_add(paragraph, "it keeps only the time around ");
	if (info->keeps_slower_ns)
		paragraph_add(paragraph, "messages that took longer than %s",
			      DURATION(info->keeps_slower_ns));
	else
		paragraph_add(paragraph, "what fulfils %s", info->condition);
	paragraph_add(paragraph, ", and the statistics of all");
}

/* Known when the recording has been read. */
static void add_windows(struct paragraph *line, const struct window_summary *windows)
{
	if (!windows->known)
		return;
	paragraph_add(line, "; %llu window%s ha%s %llu message%s, for -f ndjson and explain",
		      (unsigned long long)windows->windows, plural(windows->windows),
		      windows->windows == 1 ? "s" : "ve", (unsigned long long)windows->messages,
		      plural(windows->messages));
	if (windows->shortened)
		paragraph_add(line, "; %llu of them begin%s late, for lack of memory",
			      (unsigned long long)windows->shortened,
			      windows->shortened == 1 ? "s" : "");
}

static void recording_words(struct paragraph *line, const struct summary *summary)
{
	const struct run_info *info = &summary->info;

	if (!info->condition[0])
		return;
	windows_words(line, info);
	if (info->keeps_slower_ns)
		paragraph_add(line, ": %llu of %llu", (unsigned long long)summary->slower_cnt,
			      (unsigned long long)summary->integrity.matched);
	add_windows(line, &summary->windows);
}

void no_statistics_words(struct paragraph *line, const struct summary *summary)
{
	uint64_t messages = summary->windows.messages;

	windows_words(line, &summary->info);
	paragraph_add(line,
		      ". It breaks off before the statistics, which come last, or these are "
		      "damaged. Only %llu message%s "
		      "in its windows can be shown, with -f ndjson",
		      (unsigned long long)messages, plural(messages));
}

static bool is_unclean(const struct summary *summary)
{
	return !integrity_clean(&summary->integrity);
}

static bool has_much_steal(const struct summary *summary)
{
	return steal_share(summary) >= MUCH_STEAL;
}

static bool load_ended(const struct summary *summary)
{
	return summary->load.ended;
}

const struct sentence measurement_sentences[] = {
	{"integrity", run_integrity_words, false, is_unclean},
	{"not traced", untraced_words, true, NULL},
	{"observer", observer_details, false, NULL},
	{"steal", steal_words, false, has_much_steal},
	{"recording", recording_words, false, NULL},
	{"ended early", early_words, true, NULL},
	{"left early", departure_words, true, NULL},
	{"load", run_load_words, false, load_ended},
	{NULL, NULL, false, NULL},
};
