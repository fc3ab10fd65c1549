/* SPDX-License-Identifier: BSD-2-Clause */
/* A prepared machine: a folder with the files of /proc and /sys that a test puts there. */
#pragma once

#define MACHINE_LEN 64

/* Set-up and tear-down of a test. 0 or -1. */
int machine_make(void **state);
int machine_remove(void **state);

/* The prefix for every path. */
const char *machine_root(void);

/* Makes or replaces a file, with its folders. 0 or -1. */
int machine_put(const char *path, const char *text);

/* Makes a symbolic link, with its folders. 0 or -1. */
int machine_link(const char *path, const char *target);
