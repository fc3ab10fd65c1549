/* SPDX-License-Identifier: BSD-2-Clause */
/* Collects the latencies of each client of a run by the numbers of its messages. */
#pragma once

#include "model/picture.h"

struct series;

/* NULL: out of memory. An attach has no series. */
struct series *series__new(const struct run_info *info);
void series__free(struct series *series);

/* `number`: of a message or call of this client, from 0, after the warm-up. */
void series__add(struct series *series, uint32_t client, uint64_t number, uint64_t latency_ns);

/* 0 or -ENOMEM. */
int series__finish(const struct series *series, struct picture *picture);
