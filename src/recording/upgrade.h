/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts records of older recordings to the current version of the record format. */
#pragma once

#include "bpf/record.h"

#include <stdbool.h>

/*
 * Changes `record` in place. Before version 6 the flags of an attach were bits of `cpu`, `position`
 * and `bytes`. A length of 1 GiB or more cannot be distinguished from these flags.
 */
void record_upgrade(struct record *record, bool is_attach);
