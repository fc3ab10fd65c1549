/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares functions that run BPF programs of the type iterator. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

struct bpf_program;

/* The program does its work while its output is read, which is empty. 0 or -errno. */
int bpf_iterator_run(const struct bpf_program *program);

/* The same, with the first `room` bytes of its output. Returns how many there are, or -errno. */
ssize_t bpf_iterator_read(const struct bpf_program *program, void *output, size_t room);
