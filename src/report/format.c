/* SPDX-License-Identifier: BSD-2-Clause */
/* Flushes the output of a report and reports errors. All output formats share this function. */
#include "report/format.h"

#include <errno.h>

int report_flush(FILE *out)
{
	if (fflush(out))
		return -errno;
	return ferror(out) ? -EIO : 0;
}
