/* SPDX-License-Identifier: BSD-2-Clause */
/* Flushes the output of a report and finds its errors. All output formats use this function. */
#include "report/format.h"

#include <errno.h>

int report_flush(FILE *out)
{
	if (fflush(out))
		return -errno;
	return ferror(out) ? -EIO : 0;
}
