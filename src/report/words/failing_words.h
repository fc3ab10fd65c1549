/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the sentences on system calls that fail. */
#pragma once

#include "model/summary.h"
#include "report/words/paragraph.h"

/* Whether they take enough of a CPU to be worth a line. */
bool failing_is_much(const struct summary *summary, const struct failing_summary *failing);

/* "server (pid 12): write fails 145102 times/s with EAGAIN, 11 % of a CPU, on *:80" */
void failing_words(struct paragraph *line, const struct summary *summary,
		   const struct failing_summary *failing);
