/* SPDX-License-Identifier: BSD-2-Clause */
/* The summary of an attach with a chain of three processes, which was seen ten times. */
#pragma once

#include "model/summary.h"

/* `summary` is to be freed by sample_free(). */
struct summary *attached_chains(void);
