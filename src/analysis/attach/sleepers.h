/* SPDX-License-Identifier: BSD-2-Clause */
/* Remembers which threads slept when tracing began and ended (ASLEEP records). */
#pragma once

#include "bpf/record_asleep.h"
#include "model/summary.h"

struct sleeper_book;

struct sleeper_book *sleeper_book__new(void); /* NULL: out of memory */
void sleeper_book__free(struct sleeper_book *book);

/* 0 or -ENOMEM. Those for which there is no room are left out. */
int sleeper_book__add(struct sleeper_book *book, const struct record_asleep *record);

/*
 * The process that has to receive before the send call ends in which the thread slept when tracing
 * began, if the sleep that began at `began_ns` is that one; 0: not known, or it did not.
 */
uint32_t sleeper_book__waits_for(const struct sleeper_book *book, uint32_t tid, uint64_t began_ns);

/* Fills in the list of the summary, which the summary owns. 0 or -ENOMEM. */
int sleeper_book__finish(const struct sleeper_book *book, struct summary *summary);
