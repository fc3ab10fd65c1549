/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds which units an explanation speaks of first. */
#pragma once

#include "model/explanation.h"

#include <stdbool.h>

#define FAR_LONGER 5 /* times as long, to be worth a sentence of its own */

/* Whether the units of one set take so much longer on average that they are worth a sentence. */
bool are_far_longer(const struct explain_set *these, const struct explain_set *than);

/* The units that the explanation is about, or others if threads wait in a circle there. */
enum explain_weight first_view(const struct explanation *explanation);
