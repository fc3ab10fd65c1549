/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the slowest units in full, which the bars of the figure "slowest" link to. */
#pragma once

#include "report/format.h"
#include "report/markup.h"

/*
 * A hidden section for each of them, which is shown when it is the target of a link. `prefix` of
 * their ids. `heading`: the element of their headings, for example "h3". `back`: the id of the
 * figure that links to them.
 */
void units_write(struct markup *markup, const struct illustration *illustration, const char *prefix,
		 const char *heading, const char *back);
