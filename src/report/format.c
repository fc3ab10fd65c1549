/* SPDX-License-Identifier: BSD-2-Clause */
/* What all output formats need. */
#include "report/format.h"

#include <errno.h>

int report_flush(FILE *out)
{
	if (fflush(out))
		return -errno;
	return ferror(out) ? -EIO : 0;
}
