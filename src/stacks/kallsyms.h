/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the kernel's function at an address. The kernel shows the addresses of its functions to
 * root, in /proc/kallsyms. They differ after each boot (KASLR).
 */
#pragma once

#include "bpf/record_stacks.h"

#include <stddef.h>
#include <stdint.h>

struct kallsyms;

/* `path`: /proc/kallsyms. NULL and errno; EACCES: the addresses are hidden. */
struct kallsyms *kallsyms__new(const char *path);
void kallsyms__free(struct kallsyms *symbols); /* NULL allowed */

/*
 * The function at or before `address`, as in "vfs_read" or "nft_do_chain [nf_tables]"; NULL: there
 * is none near. Valid until kallsyms__free().
 */
const char *kallsyms__find(const struct kallsyms *symbols, uint64_t address);

/*
 * How many of the innermost functions are not the thread's own work: those of the tracing programs,
 * and of the interrupt in which the stack was taken (STACK_RAN). `name[i]` NULL: not known.
 */
uint16_t frames_of_tracing(const char *const *name, uint16_t cnt, enum stack_kind kind);
