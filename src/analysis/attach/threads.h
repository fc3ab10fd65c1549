/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attach: the threads that are traced, which process each is of, and who are targets. Of very many
 * targets, and of very many peers, those are forgotten that were not used for longest. Numbers are
 * used again: who had one is asked for at an instant.
 */
#ifndef IPCTRACE_ANALYSIS_ATTACH_THREADS_H
#define IPCTRACE_ANALYSIS_ATTACH_THREADS_H

#include "bpf/record.h"

#include <stdbool.h>

/* Of one number; older ones are forgotten. It may come round several times before messages settle.
 */
#define THREADS_LIVES_MAX 4

struct threads;

struct threads *threads__new(void); /* NULL: out of memory */
void threads__free(struct threads *threads);

/* In any order. 0 or -ENOMEM. */
int threads__add(struct threads *threads, const struct record_thread *thread);

/* It has sent or received something. */
void threads__use(struct threads *threads, uint32_t tid);

/* Whether it may have been a target: every thread is told of before its first message. */
bool threads__forgot(const struct threads *threads, uint32_t tid);

/* The process; 0: not known. */
uint32_t threads__pid(const struct threads *threads, uint32_t tid, uint64_t at_ns);

/* Not only somebody who talks to one. */
bool threads__is_target(const struct threads *threads, uint32_t tid, uint64_t at_ns);

#endif
