/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the sentences of the first screen. Each function adds to a paragraph. */
#pragma once

#include "model/summary.h"
#include "report/text/layout.h"
#include "report/words/rows.h"

/* One sentence: the largest part of the latency, with the process and the thread that cause it. */
void verdict_words(struct paragraph *paragraph, const struct summary *summary);

/* The same for several runs: how the latency changes between them. */
void verdict_of_rows(struct paragraph *paragraph, const struct rows *rows);

/* NULL: no message was matched. */
const struct row *slowest_row(const struct rows *rows);

/*
 * What causes the largest components, with shares of the mean latency; if explains_service(), what
 * causes the states of the service, with shares of the mean round trip.
 */
void culprits_words(struct paragraph *paragraph, const struct summary *summary);

/*
 * Whether all messages were matched and add up, and what was lost. `own_share`: how much of the
 * latency is a wait for ipctrace itself. `verified`: receivers compared the contents.
 */
void trust_words(struct paragraph *paragraph, const struct integrity *integrity,
		 const struct run_info *info, double own_share, bool verified);

/* Calls whose times are not known, or may be those of others; nothing if there are none. */
void untimed_words(struct paragraph *paragraph, const struct summary *summary);

/* What a reader must know of the run: it ended early, clients left, ...; nothing if all is well. */
void warning_words(struct paragraph *warning, const struct summary *summary);

/* What tracing cost, as far as it is known. */
void observer_words(struct paragraph *paragraph, const struct summary *summary);
