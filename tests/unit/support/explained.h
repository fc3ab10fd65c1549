/* SPDX-License-Identifier: BSD-2-Clause */
/* Explanations made by hand, for the tests of reports. They last until the end of the test. */
#pragma once

#include "model/explanation.h"
#include "report/format.h"

/*
 * A push of five clients: hog keeps CPU 1 from receivers in 48 of 50 slow messages. All sums agree.
 * Six of nine episodes lie a second apart.
 */
struct explanation *explained_push(void);

/* Calls of an attach: the server waits for a lock, whose owner waits for a CPU behind hog. */
struct explanation *explained_lock(void);

/* There is nothing to explain, for this reason. */
struct explanation *explained_nothing(enum explain_outcome outcome);

/* One of the push in full. */
struct explanation *explained_message(void);

/* The report of an explanation alone. */
char *explained_show(const char *format, struct report_style style,
		     const struct explanation *explanation);
