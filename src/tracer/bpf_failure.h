/* SPDX-License-Identifier: BSD-2-Clause */
/* What libbpf could not do, in the user's words. Knows libbpf, whose errors are more than errno's.
 */
#ifndef IPCTRACE_TRACER_BPF_FAILURE_H
#define IPCTRACE_TRACER_BPF_FAILURE_H

#include <stdbool.h>

/*
 * Logs `what` ("cannot attach BPF programs"), why it failed and what to do. `err` is negative: an
 * errno or an error of libbpf's.
 */
void bpf_failure_say(const char *what, int err);

/* The same for what was to be loaded. `locks_memory`: see struct kernel_traits. */
void bpf_failure_say_load(int err, bool locks_memory);

#endif
