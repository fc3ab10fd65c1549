/* SPDX-License-Identifier: BSD-2-Clause */
/* `ipctrace attach`: traces the messages of programs that run already. */
#ifndef IPCTRACE_COMMAND_ATTACH_H
#define IPCTRACE_COMMAND_ATTACH_H

struct attach_options;

/* Returns the exit status: the status of the started command, if all else went well. */
int attach_run(const struct attach_options *options, char **argv);

#endif
