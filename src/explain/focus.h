/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decides what an explanation begins with: with what sets the slow units apart, or with what all
 * units wait for.
 */
#pragma once

#include "model/explanation.h"

/* Of a complete explanation. `is_default`: the user has not said which units are slow. */
enum explain_focus focus_of(const struct explanation *explanation, bool is_default);
