/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the explanation as text. */
#pragma once

#include "model/explanation.h"
#include "report/text/layout.h"

/*
 * Prints an explanation. `is_brief`: only its first screen. An explanation of one message, call or
 * round shows this one in full.
 */
void text_explanation(const struct text *text, const struct explanation *explanation,
		      bool is_brief);
