/* SPDX-License-Identifier: BSD-2-Clause */
/* The version of the program. */
#ifndef IPCTRACE_UTIL_VERSION_H
#define IPCTRACE_UTIL_VERSION_H

#define IPCTRACE_VERSION "0.1"

#endif
