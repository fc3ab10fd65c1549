/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the process of a thread at one end of a unit. */
#pragma once

#include "model/unit.h"

struct analysis;

/* 0: not known. `name` becomes that of the process, or else of the thread. */
uint32_t unit_process(struct analysis *a, const struct party *party, uint64_t at_ns,
		      char name[RECORD_COMM_LEN]);
