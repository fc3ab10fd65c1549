/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares functions that describe the machine and the command line. Reports and recordings
 * contain the description.
 */
#pragma once

#include "model/spec.h"

#include <limits.h>
#include <zlib.h>

/* Fields without a known value stay empty. */
void host_describe(struct host *host);

/*
 * Opens the configuration of the running kernel where distributions install it, compressed or not,
 * and fills in its path. `root` stands before every path. NULL: there is none.
 */
gzFile kernel_configuration_open(const char *root, char path[PATH_MAX]);

/* This instant. */
struct begin begin_now(void);

/*
 * Fills in what every run says of its origin: version, host and command line. A command line that
 * does not fit is cut off.
 */
void host_describe_run(struct run_info *info, char **argv);
