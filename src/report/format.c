/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements report_flush(), which flushes the output of a report and returns write errors. */
#include "report/format.h"

#include <errno.h>

int report_flush(FILE *out)
{
	if (fflush(out))
		return -errno;
	return ferror(out) ? -EIO : 0;
}
