/* SPDX-License-Identifier: BSD-2-Clause */
/* Defines the version of the program. */
#pragma once

#define IPCTRACE_VERSION "0.1"
