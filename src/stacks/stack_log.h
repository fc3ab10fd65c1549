/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes records from samples of stacks. User stacks are named by another process (namer.h). While
 * tracing goes on, a stack only gets a number. Its functions are named when tracing has ended, or
 * earlier if there are many: that takes time.
 *
 *	sample -> key: addresses in the kernel, and the words of the copied user stack that point
 *	to code -> number of the stack -> STACK
 *	                                  number -> functions -> FRAMES, SYMBOL
 */
#pragma once

#include "bpf/record_stacks.h"
#include "bpf/stack_sample.h"

struct stack_log;

/* NULL: out of memory. */
struct stack_log *stack_log__new(void);
void stack_log__free(struct stack_log *log); /* NULL allowed */

/* Puts a STACK record. 0 or what `put` returned. Soon after the sample was taken: see image.h. */
int stack_log__sample(struct stack_log *log, const struct stack_sample *sample, record_put_fn *put,
		      void *ctx);

/* After the samples of a drain. */
void stack_log__drained(struct stack_log *log);

/*
 * Tracing has ended, and the programs are still loaded: puts FRAMES, SYMBOL and STACKS records.
 * `count` is by enum sample_count. 0 or what `put` returned.
 */
int stack_log__finish(struct stack_log *log, uint64_t over_ns, const uint64_t *count,
		      record_put_fn *put, void *ctx);
