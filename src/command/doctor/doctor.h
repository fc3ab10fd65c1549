/* SPDX-License-Identifier: BSD-2-Clause */
/* `ipctrace doctor`: examines what this machine offers for tracing. */
#ifndef IPCTRACE_COMMAND_DOCTOR_DOCTOR_H
#define IPCTRACE_COMMAND_DOCTOR_DOCTOR_H

struct doctor_options;

/* Returns the exit status: 0 if the main job can run here. */
int doctor_run(const struct doctor_options *options);

#endif
