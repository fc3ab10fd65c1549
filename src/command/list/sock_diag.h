/* SPDX-License-Identifier: BSD-2-Clause */
/* Asks the kernel for all its sockets of a kind, over NETLINK_SOCK_DIAG. */
#ifndef IPCTRACE_COMMAND_LIST_SOCK_DIAG_H
#define IPCTRACE_COMMAND_LIST_SOCK_DIAG_H

#include <linux/rtnetlink.h>
#include <stddef.h>

/* One socket: the family's message with its attributes behind. 0 goes on, -errno ends. */
typedef int (*sock_diag_fn)(void *ctx, const void *payload, size_t size);

/*
 * Sends `request` of the family and hands over what comes. 0; what `fn` returned; or -errno of the
 * kernel: -ENOENT if it has no such sockets or does not tell.
 */
int sock_diag_dump(int diag, const void *request, size_t size, sock_diag_fn fn, void *ctx);

#endif
