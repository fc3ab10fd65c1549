/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Starts and stops background loads, which keep the machine busy while a workload runs. A load
 * does not depend on tracing or on the workload.
 *
 *	load = load__start("launch", as, why);	the load works when this returns
 *	... load__alive(load) from time to time ...
 *	load__stop(load);			the processes and files of the load are gone
 */
#pragma once

#include "load/site.h"
#include "util/caller.h"

#include <stdbool.h>
#include <stdint.h>

struct load;

/*
 * `text` is a name of load_names(), or a command for a shell. The load runs as user `as`, with that
 * user's environment, in a process group of its own. `as` is borrowed. On failure: NULL and errno,
 * and one line in `why` that names the load, the reason and what to do, such as the Debian package
 * of a missing program.
 */
struct load *load__start(const char *text, const struct caller *as, char why[LOAD_WHY_LEN]);

/* False once the load has ended by itself, which is an error. `why` then has the reason. */
bool load__alive(struct load *load, char why[LOAD_WHY_LEN]);

/* How often the load has done its work (launches, fetches, moves); 0: not known. */
uint64_t load__count(const struct load *load);

/* The supervisor of a load kills, after a second, what has not ended. */
#define LOAD_STOP_MS_MAX 10000

/*
 * NULL allowed. Ends all processes of the load, waits for them for at most LOAD_STOP_MS_MAX, and
 * removes its files. What hangs in the kernel is left to the supervisor (logged).
 */
void load__stop(struct load *load);
