/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the output format that the user names with --format. */
#ifndef IPCTRACE_REPORT_FORMATS_H
#define IPCTRACE_REPORT_FORMATS_H

#include "report/format.h"

/* NULL if no format has this name. */
const struct report_format *report_format_find(const char *name);

/* The formats, from 0 on; NULL after the last one. */
const struct report_format *report_format_at(size_t i);

#endif
