/* SPDX-License-Identifier: BSD-2-Clause */
/* Holds the style sheet and the script of the page: the Makefile makes string literals of both. */
#include "report/html/assets.h"

const char page_style[] =
#include "report/html/page.css.inc"
	;

const char page_script[] =
#include "report/html/page.js.inc"
	;
