/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The mode of attaches: the programs are not ipctrace's own. Every message that was seen is joined;
 * only the messages of a target, and of the peer that the user asked for, are reported.
 */
#ifndef IPCTRACE_ANALYSIS_ATTACH_MESSAGES_H
#define IPCTRACE_ANALYSIS_ATTACH_MESSAGES_H

#include <stdbool.h>

struct attach_messages;
struct mode_ops;

extern const struct mode_ops attach_mode;

/* Whether several threads share an end of a channel: see analysis__needs_starving(). */
bool attach_messages_need_starving(const struct attach_messages *attach);

#endif
