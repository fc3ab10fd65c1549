/* SPDX-License-Identifier: BSD-2-Clause */
/* Records of recordings before version 6 as those of today. */
#ifndef IPCTRACE_RECORDING_UPGRADE_H
#define IPCTRACE_RECORDING_UPGRADE_H

#include "bpf/record.h"

#include <stdbool.h>

/*
 * Changes `record` in place. Until version 5 the flags of an attach were bits of the CPU, the
 * position and the length; of a length of 1 GiB and more they cannot be told apart any more.
 */
void record_upgrade(struct record *record, bool is_attach);

#endif
