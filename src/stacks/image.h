/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keeps what a process executes: its mappings, as they are in /proc while the process lives. Stacks
 * are named later, when the process may have ended.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct image;

/* `proc`: /proc. NULL and errno; ENOENT, ESRCH: the process has ended. */
struct image *image__new(const char *proc, uint32_t pid);

/* The same with mappings that another process has read; takes over `text` (malloc), also if it
 * fails. */
struct image *image__of_text(const char *proc, uint32_t pid, char *text, size_t length);

/* The mappings. */
const char *image__text(const struct image *image, size_t *length);

void image__free(struct image *image); /* NULL allowed */

/* Reads the mappings again. 0 or -errno: they are still those of before. */
int image__refresh(struct image *image);

/* Whether code is mapped at this address. */
bool image__has_code(const struct image *image, uint64_t address);

/* Writes the file's name without its folder, or [vdso], or "": no file, or nothing is mapped. */
void image__file_name(const struct image *image, uint64_t address, char *text, size_t size);

/* Where the file that is mapped at `address` begins; 0: there is none. */
uint64_t image__file_begin(const struct image *image, uint64_t address);

/* The text of /proc/PID/maps, to read from. NULL: out of memory. To be closed by the caller. */
FILE *image__maps(const struct image *image);

/*
 * Opens the file that is mapped at `address`, also if it has been deleted, or lies in a container.
 * The descriptor, which the caller closes, or -errno: it is not there any more.
 */
int image__open_file(const struct image *image, uint64_t address);
