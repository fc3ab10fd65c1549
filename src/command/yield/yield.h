/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares functions that let the thread that reads, analyses and writes records yield its CPU to
 * every thread that wants it. A watching thread gives the reader its normal priority back when the
 * ring buffer fills up, or when the reader is late:
 *
 *	yield = yield__begin(&spec);	the calling thread is the reader
 *	yield__due(yield, ns);		the reader will call it again within this time, if it gets
 *					a CPU; else it has its normal priority until then
 *	yield__watch(yield, tracer);	once: the ring buffer of this tracer may not fill up
 *	yield__pause(yield);		children that are forked from now on have the normal priority
 *	yield__resume(yield);
 *	yield__end(yield);		everything is as before yield__begin()
 */
#pragma once

#include "model/reader_spec.h"

#include <stdbool.h>
#include <stdint.h>

struct tracer;
struct yield;

/*
 * `alone`: no child of this process is measured, so that the reader can have a control group of its
 * own, apart from its session. What the kernel refuses is left out (logged as info). NULL: no
 * memory, or no thread could be started; the reader then has its normal priority.
 */
struct yield *yield__begin(const struct reader_spec *spec, bool alone);

/* In all functions below, `yield` may be NULL. */
void yield__due(struct yield *yield, uint64_t within_ns);
void yield__watch(struct yield *yield, const struct tracer *tracer);
void yield__pause(struct yield *yield);
void yield__resume(struct yield *yield);

/* For how long, in ns, the reader has had its normal priority since yield__begin(). */
uint64_t yield__hurried_ns(struct yield *yield);

/* The tracer of yield__watch() must still be there. */
void yield__end(struct yield *yield);
