/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares functions that print the sections of the text report. text.c defines the order of the
 * sections. A section that has nothing to show prints nothing. Functions without the prefix text_
 * add part of a sentence to a paragraph.
 */
#pragma once

#include "model/summary.h"
#include "report/text/layout.h"

/* Words of the first line. A run matrix has several values of each. */
struct workload_words {
	const char *pattern;   /* push */
	const char *transport; /* uds */
	const char *clients;   /* 5 clients */
	const char *messages;  /* 1000 messages */
	const char *size;      /* 64 bytes */
	const char *handler;   /* echo; empty: none */
	const char *load;      /* launch; empty: none */
	uint32_t least_runs;   /* of one configuration */
	uint32_t most_runs;
};

void text_head(const struct text *text, const struct run_info *info);
void text_head_words(const struct text *text, const struct run_info *info,
		     const struct workload_words *words);

/* The same in two lines, which are cut at the end of the page. */
void text_head_lines(const struct text *text, const struct summary *summary);
void text_head_word_lines(const struct text *text, const struct run_info *info,
			  const struct workload_words *words);

/* The same as words: "push over uds, 5 clients x 1000 messages ...", "attached to ...". */
void head_title(struct paragraph *line, const struct run_info *info);
void workload_title(struct paragraph *line, const struct run_info *info,
		    const struct workload_words *words);
void host_words(struct paragraph *line, const struct host *host);

void text_latency(const struct text *text, const struct summary *summary);
void text_calls(const struct text *text, const struct summary *summary);
void text_service(const struct text *text, const struct summary *summary);
void text_services(const struct text *text, const struct summary *summary);
void text_components(const struct text *text, const struct summary *summary);
void text_room(const struct text *text, const struct summary *summary);
void text_blame(const struct text *text, const struct summary *summary);
void text_clients(const struct text *text, const struct summary *summary);
void text_channels(const struct text *text, const struct summary *summary);
void text_early(const struct text *text, const struct summary *summary);
void text_complete(const struct text *text, const struct summary *summary);
void text_peaks(const struct text *text, const struct summary *summary);
void text_periods(const struct text *text, const struct summary *summary);
void text_chains(const struct text *text, const struct summary *summary);
void text_order(const struct text *text, const struct summary *summary);
void text_tick(const struct text *text, const struct summary *summary);
void text_due(const struct text *text, const struct summary *summary);
void text_flow(const struct text *text, const struct summary *summary);
void text_fairness(const struct text *text, const struct summary *summary);
void text_load(const struct text *text, const struct summary *summary);
void text_windows(const struct text *text, const struct summary *summary);
void text_departures(const struct text *text, const struct summary *summary);
void text_tracing(const struct text *text, const struct summary *summary);
void text_integrity(const struct text *text, const struct summary *summary);
void text_untraced(const struct text *text, const struct summary *summary);
void text_observer(const struct text *text, const struct summary *summary);
void text_steal(const struct text *text, const struct summary *summary);

/* Replaces all sections but the head if lacks_statistics(). */
void text_without_statistics(const struct text *text, const struct summary *summary);

/* "2026-11-26 06:24:41 UTC, 6.0 s: 1334 messages/s, 667 calls/s", as far as it is known. */
void tracing_words(struct paragraph *line, const struct summary *summary);

/* "5000 sent, 4998 matched, ..., 0 lost". `verified`: receivers compared the contents. */
void integrity_words(struct paragraph *paragraph, const struct integrity *integrity, bool traced,
		     bool verified);

/* "638.6 us at 5.210 s, client 3: dispatch 392.9 us"; nothing without messages. */
void slowest_words(struct paragraph *paragraph, const struct summary *summary);

/* "it keeps only messages that took longer than 1 ms, ..." */
void windows_words(struct paragraph *paragraph, const struct run_info *info);

/* "launch, 312 times in the meantime"; nothing without a load. */
void load_words(struct paragraph *paragraph, const struct workload_spec *spec,
		const struct load_summary *load);

/* `before`, then "futex 95 %, read 5.0 %"; nothing for a run. */
void blocked_calls_words(struct paragraph *paragraph, const char *before,
			 const struct blocked_calls *blocked, const struct run_info *info);

/* "; meanwhile reader (pid 12) ran 97 %"; nothing if no message waited for room. */
void room_words(struct paragraph *words, const struct summary *summary);

/* "after 38 of 100 rounds: the server had left"; nothing if the run was complete. */
void early_words(struct paragraph *paragraph, const struct summary *summary);

/* `before`, then "redis-server (pid 4712) has /run/x.sock now"; nothing if no process has it. */
void heir_words(struct paragraph *line, const char *before, const struct summary *summary);

/* Sentences on the channels of targets when tracing ended, each with a blank behind it. */
void found_words(struct paragraph *line, const struct summary *summary);

/* "client 3 was ended by a signal (Killed) after 512 rounds; ..."; nothing if all stayed. */
void departure_words(struct paragraph *paragraph, const struct summary *summary);
