/* SPDX-License-Identifier: BSD-2-Clause */
/* Names the units of an explanation. */
#include "model/unit.h"

const char *const unit_kind_names[NR_UNIT_KINDS] = {
	[UNIT_MESSAGE] = "message",
	[UNIT_CALL] = "call",
	[UNIT_ROUND] = "round",
};
