/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Merges channels of one service for the table of channels, so that a hundred clients that each
 * connect once are one row.
 */
#pragma once

#include "model/summary.h"

/* Fewer channels of one service have a row each. */
#define CHANNELS_ALIKE_MIN 4

/*
 * The rows, most messages first. `folded` counts the channels of a row; 0: one. The caller frees
 * them with channel_rows_free(). NULL: out of memory, and *cnt is 0.
 */
struct channel_summary *channel_rows_of(const struct summary *summary, uint32_t *cnt);
void channel_rows_free(struct channel_summary *rows, uint32_t cnt);
