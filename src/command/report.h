/* SPDX-License-Identifier: BSD-2-Clause */
/* `ipctrace report FILE`. */
#ifndef IPCTRACE_COMMAND_REPORT_H
#define IPCTRACE_COMMAND_REPORT_H

struct report_options;

/* The exit status. */
int report_run(const struct report_options *options);

#endif
