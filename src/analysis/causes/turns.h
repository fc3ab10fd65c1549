/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds out what a message waited behind, and which threads were free to take it meanwhile. */
#pragma once

#include "analysis/causes/thread_cut.h"
#include "model/message.h"
#include "model/turn.h"

/*
 * `is_first`: the message is the first one of its channel. The messages that its receiver got
 * before are in `cutter->received`. Of level deep.
 */
struct unit_turn turn_of(struct cutter *cutter, const struct message *message, bool is_first);
