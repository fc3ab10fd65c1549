/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the sentences on a summary. Each function adds to a paragraph, and adds nothing if there
 * is nothing to say. The text report prints most of them behind a label, and the page some.
 */
#pragma once

#include "insight/focus.h"
#include "insight/whole.h"
#include "report/words/paragraph.h"

/* What is slow, with the process and the thread that cause it; or why there is nothing to say. */

/*
 * What comes before all that is slow, each sentence with a space behind it: connections that
 * failed or waited, and messages that were dropped.
 */
void verdict_troubles(struct paragraph *line, const struct summary *summary);

/* The options of an attach that name processes. */
extern const char *const choice_options[NR_CHOICES];

/* What the user gave: a name, a glob or a PID. Empty: the option is not given. */
const char *choice_wanted(const struct summary *summary, enum choice_kind kind);

/* There were messages, and none with such a process. */
bool choice_is_in_vain(const struct summary *summary, enum choice_kind kind);

/* Whether --server or --client matches no process. */
bool choices_in_vain(const struct summary *summary);

/* Of such a choice: "no process of the 12 messages has this name or PID: they were with ..." */
void choice_words(struct paragraph *line, const struct summary *summary, enum choice_kind kind);

/* Whose calls these are, and how many there are of others; nothing if there is one service. */
void focus_words(struct paragraph *whose, const struct focus *focus,
		 const struct calls_summary *all);

/* What a reader must know of the run: it ended early, clients left, ... */
void warning_words(struct paragraph *line, const struct summary *summary);

/* Whether all messages were matched and add up, and what was lost; of one run or of several. */
void complete_words(struct paragraph *line, const struct integrity *integrity,
		    const struct run_info *info, bool verified);

/* The same of one run, with calls whose times are not known or may be those of others. */
void run_complete_words(struct paragraph *line, const struct summary *summary);

/* How much of the time, and how long at most, ipctrace itself was in the way. `unit`: of that. */
void disturbed_words(struct paragraph *line, const struct summary *summary);

/* So many messages are missing that the figures may be those of other ones. */
bool lacks_messages(const struct integrity *integrity);

/* What makes the figures unreliable, in one sentence; nothing if they are not. */
void unreliable_words(struct paragraph *line, const struct summary *summary);

/* The measurement. "5000 sent, 4998 matched, ..., 0 lost", of one run or of several. */
void integrity_words(struct paragraph *line, const struct integrity *integrity, bool traced,
		     bool verified);

/* "2026-11-26 06:24:41 UTC, 6.0 s: 1334 messages/s, 667 calls/s", as far as it is known. */
void tracing_words(struct paragraph *line, const struct summary *summary);

/* The same with what ended it, and its label. */
void tracing_details(struct paragraph *line, const struct summary *summary);
const char *tracing_label(const struct summary *summary);

/* Children of targets that are not traced. */
void untraced_words(struct paragraph *line, const struct summary *summary);

/* "it keeps only messages that took longer than 1 ms, ..." */
void windows_words(struct paragraph *line, const struct run_info *info);

/* Replaces all sections but the head if lacks_statistics(). */
void no_statistics_words(struct paragraph *line, const struct summary *summary);

/* "after 38 of 100 rounds: the server had left" */
void early_words(struct paragraph *line, const struct summary *summary);

/* "client 3 was ended by a signal (Killed) after 512 rounds; ..." */
void departure_words(struct paragraph *line, const struct summary *summary);

/* "launch, 312 times in the meantime" */
void load_words(struct paragraph *line, const struct workload_spec *spec,
		const struct load_summary *load);
void run_load_words(struct paragraph *line, const struct summary *summary);

/* Sentences on the channels of targets when tracing ended, each with a blank behind it. */
void found_words(struct paragraph *line, const struct summary *summary);

/* Times. "638.6 us at 5.210 s, client 3: dispatch 392.9 us" */
void slowest_words(struct paragraph *line, const struct summary *summary);

/* A sentence behind a label. The last one of a list has none. */
struct sentence {
	const char *label;
	void (*words)(struct paragraph *line, const struct summary *summary);
	bool is_warning;
	bool (*warns)(const struct summary *summary); /* whether it is one now; NULL: never */
};

/* Integrity, the cost of tracing, the time that the host took away, and what ended early. */
extern const struct sentence measurement_sentences[];

/*
 * Range, peaks, the rounds that missed their period, what a late sender hides (coordinated
 * omission), throughput and fairness.
 */
extern const struct sentence latency_sentences[];

/* Rounds that the statistics lack, and in which order clients were served, and why. */
extern const struct sentence client_sentences[];

/* What level light leaves out, what the server did, and how certain the answers are. */
extern const struct sentence call_sentences[];

/* What readers did, what receivers slept in, and their state when the data came. */
extern const struct sentence component_sentences[];

/*
 * "to backend.sock 96 %, cache.sock 1.2 %", with shares of the service; one that has nearly all of
 * the calls' time stands alone.
 */
void callees_words(struct paragraph *line, const struct service_summary *service);

/* `before`, then "futex 95 %, read 5.0 %"; nothing for a run. */
void blocked_calls_words(struct paragraph *line, const char *before,
			 const struct blocked_calls *blocked, const struct run_info *info);

/* The same, or the first call alone if it has nearly all of the time. */
void main_blocked_call_words(struct paragraph *line, const char *before,
			     const struct blocked_calls *blocked, const struct run_info *info);
