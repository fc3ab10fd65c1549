/* SPDX-License-Identifier: BSD-2-Clause */
/* The summary of an attach with 200 rounds of 10 ms, of which six missed their deadlines. */
#pragma once

#include "model/summary.h"

/* `summary` is to be freed by sample_free(). */
struct summary *attached_rounds(void);
