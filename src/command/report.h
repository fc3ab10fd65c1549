/* SPDX-License-Identifier: BSD-2-Clause */
/* `ipctrace report FILE`: shows a recording, without privileges. */
#ifndef IPCTRACE_COMMAND_REPORT_H
#define IPCTRACE_COMMAND_REPORT_H

struct report_options;

/* Returns the exit status. */
int report_run(const struct report_options *options);

#endif
