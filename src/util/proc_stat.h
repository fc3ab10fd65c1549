/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares how the kernel's figures of a process or thread are read, see proc_pid_stat(5). */
#pragma once

/* Room for all fields and the name. */
#define STAT_LEN 512

/*
 * The fields from the state on, which is the third. The name before is in brackets and may contain
 * anything, also brackets and newlines. NULL: no such process or thread. The result points into
 * `text`. Uses neither memory nor files of the C library.
 */
char *proc_stat_read(const char *path, char text[STAT_LEN]);
