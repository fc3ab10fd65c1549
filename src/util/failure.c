/* SPDX-License-Identifier: BSD-2-Clause */
/* Turns the result of a command into its exit status. */
#include "util/failure.h"

#include "util/log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int failure_status(const char *command, int err)
{
	if (!err)
		return EXIT_SUCCESS;
	if (log_has_error())
		return EXIT_FAILURE;
	if (err == -ENOMEM)
		log_error("cannot go on: %s: %s", command, strerror(-err));
	else
		log_error("cannot go on: %s: %s: run with -vv to see the last steps", command,
			  strerror(-err));
	return EXIT_FAILURE;
}
