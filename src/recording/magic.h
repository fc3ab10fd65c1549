/* SPDX-License-Identifier: BSD-2-Clause */
/* The first bytes of every recording. */
#pragma once

#define RECORDING_MAGIC     "IPCTRACE"
#define RECORDING_MAGIC_LEN 8
