/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers the two sets of units that are held against each other. */
#pragma once

enum explain_side { SIDE_SLOW, SIDE_BASE, NR_EXPLAIN_SIDES };
