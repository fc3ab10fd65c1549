/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The mode of runs: the workload is ipctrace's own. Its records say which client a message belongs
 * to and when the application sent and received it.
 */
#ifndef IPCTRACE_ANALYSIS_RUN_MESSAGES_H
#define IPCTRACE_ANALYSIS_RUN_MESSAGES_H

struct mode_ops;

extern const struct mode_ops run_mode;

#endif
