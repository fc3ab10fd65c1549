/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads a cell's records in a thread of its own, somewhat ahead of who takes them: to read and
 * decode records takes nearly as long as to analyse them, and most machines have two CPUs.
 */
#ifndef IPCTRACE_RECORDING_READ_AHEAD_H
#define IPCTRACE_RECORDING_READ_AHEAD_H

#include "recording/recording.h"

struct read_ahead;

/*
 * Begins to read the present cell of `reader`, which is borrowed and must not be used until
 * read_ahead__free(). NULL: no memory, or no thread (logged).
 */
struct read_ahead *read_ahead__new(struct recording_reader *reader);

/* The next record, valid until the next call. NULL at the end of the cell. */
const struct record *read_ahead__next(struct read_ahead *ahead);

/* Whatever has not been taken is dropped. NULL allowed. */
void read_ahead__free(struct read_ahead *ahead);

#endif
