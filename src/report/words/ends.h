/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares functions that name the processes and threads at the ends of messages. A run has the
 * ends that the workload gives it, an attach those of its channels.
 */
#pragma once

#include "insight/metrics.h"
#include "model/summary.h"
#include "report/words/labels.h"

#define END_WORDS_LEN END_TITLE_LEN

enum end { END_OF_SENDER, END_OF_RECEIVER };

/* The end that a component is named with: what it is blamed on. */
enum end component_end(enum component component);

/*
 * The process at this end of the messages that have most time in the component, "the receiver,
 * mainly redis-server (pid 4711)," if it has not nearly all of that time:
 * "redis-server (pid 4711)", "io_thd_1 (pid 4711, tid 4713)" or, in a run, "a client".
 */
void message_end_words(const struct summary *summary, enum component component, enum end end,
		       char words[END_WORDS_LEN]);

/*
 * The same process without its role, for example "redis-server (pid 4711)". Returns its share of
 * the component's time.
 */
double message_end_name(const struct summary *summary, enum component component, enum end end,
			char words[END_WORDS_LEN]);

/* That thread, or else the process, of the service with most time: "redis-server (4711)". */
void service_words(const struct summary *summary, char words[END_WORDS_LEN]);
