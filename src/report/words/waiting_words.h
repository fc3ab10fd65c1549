/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the sentences on threads that waited for another program when tracing ended. */
#pragma once

#include "model/summary.h"
#include "report/words/paragraph.h"

#include <stdbool.h>

/*
 * If no message was seen, without a full stop: "python3 (pid 12) waits in write for room in the
 * channel to cat (pid 13), which waits in write for room in the channel to python3 (pid 12): a
 * circle". Adds nothing if that is not known. Returns whether something hangs for certain.
 */
bool waiting_silence_words(struct paragraph *line, const struct summary *summary);

/*
 * The same if a thread waits longer than any message took: "When tracing ended, python3 (pid 12)
 * had waited for 2.1 s in sendto for room in the channel to cat (pid 13): ...". With what to do,
 * and a full stop.
 */
void waiting_end_words(struct paragraph *line, const struct summary *summary);
