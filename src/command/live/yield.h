/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares functions that let the thread that reads, analyses and writes records yield its CPU to
 * every thread that wants it. When the ring buffer fills up, or the reader is late, a watching
 * thread lets the reader hurry: it then comes before all threads without real-time priority.
 *
 *	yield = yield__begin(...);	the calling thread is the reader
 *	yield__due(yield, ns);		the reader will call it again within this time, if it gets
 *					a CPU; else it hurries until then
 *	yield__keep_off(yield, ...);	it keeps off the CPUs of these processes until
 *	yield__come_back(yield);	this, unless it hurries or would have to wait
 *	yield__watch(yield, tracer);	once: the ring buffer of this tracer may not fill up
 *	yield__pause(yield);		children that are forked from now on are as if it had not
 *	yield__resume(yield);		begun
 *	yield__finish(yield);		no record can be lost any more: a late reader has its
 *					normal priority, and no more
 *	yield__end(yield);		everything is as before yield__begin()
 */
#pragma once

#include "model/spec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct tracer;
struct yield;

/*
 * `alone`: nothing that is measured is in the control group or session of this process, so that
 * the reader can have a control group of its own, or set the nice value of its autogroup.
 * `within_ns`: as in yield__due(). What the kernel refuses is left out (logged as info). NULL: no
 * memory.
 */
struct yield *yield__begin(const struct reader_spec *spec, bool alone, uint64_t within_ns);

/* In all functions below, `yield` may be NULL. */
void yield__due(struct yield *yield, uint64_t within_ns);
void yield__watch(struct yield *yield, const struct tracer *tracer);

/* For long pieces of work of the kernel, see keep_off.h. Only a reader that yields does this. */
void yield__keep_off(struct yield *yield, const pid_t *pid, size_t cnt);
void yield__come_back(struct yield *yield);

void yield__pause(struct yield *yield);
void yield__resume(struct yield *yield);
void yield__finish(struct yield *yield);

/* What the reader does: another than asked for, if it must not or cannot. */
enum reader_policy yield__policy(const struct yield *yield);

/* Whether the reader comes before all threads without real-time priority. Async-signal-safe. */
bool yield__is_first(const struct yield *yield);

/* For how long, in ns, the reader has hurried since yield__begin(). */
uint64_t yield__hurried_ns(struct yield *yield);

/* Before the tracer of yield__watch() is freed, unless yield__finish() was called. */
void yield__end(struct yield *yield);
