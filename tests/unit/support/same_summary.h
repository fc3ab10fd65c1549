/* SPDX-License-Identifier: BSD-2-Clause */
/* Two summaries of one run. */
#pragma once

#include "model/summary.h"

/* Fails unless every figure of both is the same. */
void assert_same_summary(const struct summary *a, const struct summary *b);
