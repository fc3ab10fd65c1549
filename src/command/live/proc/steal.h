/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds out for how long the host took the CPUs of a virtual machine away while tracing, for STEAL
 * records. Messages wait meanwhile, and no event of this machine shows it.
 */
#pragma once

#include "bpf/record.h"

struct steal;

/* Tracing begins. `root` is "" except in tests. NULL: not known, or no memory. */
struct steal *steal__begin(const char *root);
void steal__free(struct steal *steal);

/*
 * Tracing ends: puts a record for each CPU. None if the host has reported no steal since the
 * machine started: most that do not report it show 0. `steal` may be NULL. 0 or what `put`
 * returned.
 */
int steal__end(const struct steal *steal, const char *root, record_put_fn *put, void *ctx);
