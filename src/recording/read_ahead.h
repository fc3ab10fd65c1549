/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the records of a run in a separate thread, ahead of the analysis. The thread saves time on
 * two or more CPUs, because reading takes nearly as long as the analysis.
 */
#pragma once

#include "recording/recording.h"

struct read_ahead;

/*
 * Begins to read the current run of `reader`. The reader is borrowed and must not be used until
 * read_ahead__free(). NULL: no memory, or no thread (logged).
 */
struct read_ahead *read_ahead__new(struct recording_reader *reader);

/* The next record, valid until the next call. NULL at the end of the run. */
const struct record *read_ahead__next(struct read_ahead *ahead);

/* Stops the thread and drops unread records. NULL allowed. */
void read_ahead__free(struct read_ahead *ahead);
