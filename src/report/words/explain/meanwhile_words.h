/* SPDX-License-Identifier: BSD-2-Clause */
/* Says how many calls come first, and which threads sleep that wait for such work, too. */
#pragma once

#include "report/words/explain/leads.h"
#include "report/words/explain/remedies.h"
#include "report/words/paragraph.h"

/* " (9.5 calls on average, one after another), while worker-b (pid 7, nice 0), ..., sleeps ..." */
void meanwhile_add_clause(struct paragraph *line, const struct telling *telling,
			  const struct lead *lead);

/* " The server has accepted 20 connections at once.", or how the kernel chooses one of sockets. */
void meanwhile_add_accepted(struct paragraph *line, const struct telling *telling,
			    const struct lead *lead);

/* Whether a thread sleeps for most of the wait that the row is part of, and waits for such work. */
bool meanwhile_has_other(const struct explain_meanwhile *meanwhile, const struct explain_row *row);

/* Of the units that the view is about. */
const struct explain_meanwhile *meanwhile_of(const struct telling *telling);

/* What to do about such a thread. */
enum remedy meanwhile_remedy(const struct explain_meanwhile *meanwhile);
