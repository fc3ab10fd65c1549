/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares a function that asks the kernel for all sockets of one kind. */
#pragma once

#include <linux/rtnetlink.h>
#include <stddef.h>

/*
 * Receives one socket: the family's message, followed by its attributes. 0, or -errno, which ends
 * the dump.
 */
typedef int (*sock_diag_fn)(void *ctx, const void *payload, size_t size);

/*
 * Sends `request` and passes each answer to `fn`. 0, the result of `fn`, or -errno of the kernel:
 * -ENOENT if it has no such sockets or cannot list them.
 */
int sock_diag_dump(int diag, const void *request, size_t size, sock_diag_fn fn, void *ctx);
