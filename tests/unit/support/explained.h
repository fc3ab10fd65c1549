/* SPDX-License-Identifier: BSD-2-Clause */
/* Explanations made by hand, for the tests of reports. explanation_clean() frees them. */
#pragma once

#include "model/explanation.h"
#include "report/format.h"

/*
 * A push of five clients: hog keeps CPU 1 from receivers in 48 of 50 slow messages. All sums agree.
 * Six of nine episodes lie a second apart.
 */
void explained_push(struct explanation *explanation);

/* Calls of an attach: the server waits for a lock, whose owner waits for a CPU behind hog. */
void explained_lock(struct explanation *explanation);

/* There is nothing to explain, for this reason. */
void explained_nothing(struct explanation *explanation, enum explain_outcome outcome);

/* One of the push in full. */
void explained_message(struct explanation *explanation);

/* The report of an explanation alone, which the caller frees. */
char *explained_show(const char *format, struct report_style style,
		     const struct explanation *explanation);
