/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the frame of the page: what is before its contents and behind them. The page is one
 * file: it has its style sheet and its script in it, and asks for nothing else.
 */
#pragma once

#include "report/markup.h"

/* Opens the page. `title`: of the window. */
void document_begin(struct markup *markup, const char *title);

/* Closes it, with the script at its end. */
void document_end(struct markup *markup);
