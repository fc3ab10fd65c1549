/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares functions that find a kind of background load by the value of --load, and check whether
 * the load can run.
 */
#pragma once

#include "load/kind.h"

#include <stddef.h>

/* The kind of that name. Any other text is a command. */
const struct load_kind *load_kind_find(const char *text);

/*
 * Whether `text` cannot be run on this machine. `why` then has the reason, in the words of
 * load__start(). No effects.
 */
bool load_refuse(const char *text, char why[LOAD_WHY_LEN]);

/* NULL: past the end. */
const struct load_kind *load_kind_at(size_t i);

/* "launch, ftp, window, cpu, io, memory", for messages and help. Static. */
const char *load_names(void);
