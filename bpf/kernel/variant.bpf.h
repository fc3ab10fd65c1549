/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Says for which kernels the programs are compiled. The programs are compiled three times, so that
 * no kernel has to read, verify and throw away code for other kernels:
 *
 *	(no macro)     from Linux 6.3: the kernel has events of sockets
 *	BY_SYSCALLS    before: programs at system calls replace these events
 *	LEGACY         before Linux 5.15, together with BY_SYSCALLS: see legacy.bpf.h
 *
 * All three have the same variables, and what the first one has, the others have, too. The loader
 * chooses one of them.
 */
#pragma once

#include "vmlinux.h"

/*
 * The kernel has no events of sockets, see sockets_by_syscall.bpf.c. Such kernels may
 * also have no casts, see cast.bpf.h.
 */
#ifdef BY_SYSCALLS
static const bool by_syscalls = true;
#else
static const bool by_syscalls = false;
#endif
