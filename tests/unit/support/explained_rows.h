/* SPDX-License-Identifier: BSD-2-Clause */
/* What must be true of the rows of every explanation. */
#pragma once

#include "support/build.h"

#include "model/explanation.h"

/*
 * Component rows add up to the difference of the means, and to the mean of each set; the culprits
 * of a component add up to it.
 */
void check_rows_add_up(const struct explanation *e);
