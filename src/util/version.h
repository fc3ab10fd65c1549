/* SPDX-License-Identifier: BSD-2-Clause */
/* The version of the program. */
#pragma once

#define IPCTRACE_VERSION "0.1"
