/* SPDX-License-Identifier: BSD-2-Clause */
/* `ipctrace attach`: the messages of programs that others have started. */
#ifndef IPCTRACE_COMMAND_ATTACH_H
#define IPCTRACE_COMMAND_ATTACH_H

struct attach_options;

/* The exit status: of the command that was started, if all else went well. */
int attach_run(const struct attach_options *options, char **argv);

#endif
