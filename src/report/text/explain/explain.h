/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the explanation as text. */
#pragma once

#include "model/explanation.h"
#include "report/text/layout.h"

enum explain_extent {
	EXPLAIN_ALL,    /* the first screen, and all tables */
	EXPLAIN_SCREEN, /* the first screen */
	EXPLAIN_BELOW,  /* a few lines, below the first screen of a report */
};

/* An explanation of one message, call or round shows this one in full. */
void text_explanation(const struct text *text, const struct explanation *explanation,
		      enum explain_extent extent);
