/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Says what this program may not see: the descriptors of other users' processes, in /proc/PID/fd.
 * To open this folder needs CAP_DAC_READ_SEARCH, and to read the links in it CAP_SYS_PTRACE. The
 * capabilities for tracing give neither.
 */
#pragma once

#include <stdint.h>

/* What these effective capabilities lack: "CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH". NULL: none. */
const char *sight_lacks(uint64_t capabilities);

/* The same of this thread now. */
const char *sight_missing(void);

/* "run it with sudo, or with CAP_SYS_PTRACE"; with all of them: that nothing helps. */
const char *sight_remedy(void);
