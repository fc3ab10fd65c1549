/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares functions that log errors of libbpf. libbpf has its own error numbers. */
#pragma once

#include <stdbool.h>

/*
 * Logs `what` ("cannot attach BPF programs"), the reason and what to do. `err` is negative: an
 * errno, or an error number of libbpf.
 */
void bpf_failure_say(const char *what, int err);

/* The same for loading programs and maps. `locks_memory`: see struct kernel_traits. */
void bpf_failure_say_load(int err, bool locks_memory);
