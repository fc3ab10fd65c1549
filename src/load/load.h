/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Background loads: what else the machine does while a workload runs. One file each, listed in
 * kinds.c. Knows nothing of tracing or of the workload.
 *
 *	load = load__start("launch", as, why, sizeof(why));	works when this returns
 *	... load__alive(load) every now and then ...
 *	load__stop(load);		all its processes are gone, all its files too
 */
#ifndef IPCTRACE_LOAD_H
#define IPCTRACE_LOAD_H

#include "util/caller.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct load;

/*
 * `text` is a name of load_names() or any command, which a shell runs, as the user `as` and with
 * that user's environment, in a process group of its own. `as` is borrowed. NULL and errno on
 * failure, with one line in `why` that names the load, the reason and what to do: a program that is
 * missing comes with the Debian package to install.
 */
struct load *load__start(const char *text, const struct caller *as, char *why, size_t why_size);

/* False once it has ended by itself, which a load should not; `why` then names it and says how. */
bool load__alive(struct load *load, char *why, size_t why_size);

/* How many times it has done its work so far (launches, fetches, moves); 0: not known. */
uint64_t load__count(const struct load *load);

/* NULL allowed. Ends all its processes, waits for them, removes what it made. */
void load__stop(struct load *load);

#endif
