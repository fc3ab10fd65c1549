/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the function of the kernel that has waited for a lock, among those on its stack:
 *
 *	the tracing programs | rwsem_down_write_slowpath, down_write | ext4_write_iter | ...
 *	                       take the lock                           needed it
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct lock_names;

/* `path`: /proc/kallsyms; borrowed. NULL: out of memory. */
struct lock_names *lock_names__new(const char *path);
void lock_names__free(struct lock_names *names); /* NULL allowed */

/*
 * The first of `cnt` functions, innermost first, that is no part of taking a lock: "pipe_write", or
 * "" if that is not known. The names of the kernel are read when the first one is asked for, which
 * takes a tenth of a second. `size`: the room, with the NUL.
 */
void lock_names__find(struct lock_names *names, const uint64_t *address, size_t cnt, char *function,
		      size_t size);

/* The number of functions before it. `name[i]` NULL: not known. */
size_t frames_of_locking(const char *const *name, size_t cnt);
