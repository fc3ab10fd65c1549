/* SPDX-License-Identifier: BSD-2-Clause */
/* Remembers which threads slept when tracing began and ended. */
#include "analysis/attach/sleepers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* Those of the beginning and of the end. */
#define SLEEPERS_ROOM (2 * SUMMARY_SLEEPERS_MAX)

struct sleeper_book {
	uint32_t cnt;
	struct record_asleep record[SLEEPERS_ROOM];
};

struct sleeper_book *sleeper_book__new(void)
{
	return calloc(1, sizeof(struct sleeper_book));
}

void sleeper_book__free(struct sleeper_book *book)
{
	free(book);
}

int sleeper_book__add(struct sleeper_book *book, const struct record_asleep *record)
{
	if (book->cnt < SLEEPERS_ROOM)
		book->record[book->cnt++] = *record;
	return 0;
}

uint32_t sleeper_book__waits_for(const struct sleeper_book *book, uint32_t tid, uint64_t began_ns)
{
	for (uint32_t i = 0; i < book->cnt; i++) {
		const struct record_asleep *record = &book->record[i];

		if (record->head.tid == tid && began_ns <= record->at_ns &&
		    record->head.flags & ASLEEP_AT_BEGIN && record->head.flags & ASLEEP_FOR_ROOM)
			return record->other;
	}
	return 0;
}

/* The name of a process may be known from another record only. */
static const char *comm_of(const struct sleeper_book *book, uint32_t pid, const char *comm)
{
	for (uint32_t i = 0; !comm[0] && i < book->cnt; i++) {
		if (book->record[i].pid == pid)
			return book->record[i].comm;
	}
	return comm;
}

static struct end_summary process_named(const struct sleeper_book *book, uint32_t pid,
					const char *comm)
{
	struct end_summary process = {.pid = pid, .tid = pid};

	snprintf(process.comm, sizeof(process.comm), "%.*s", RECORD_COMM_LEN - 1,
		 comm_of(book, pid, comm));
	return process;
}

static struct sleeper_summary sleeper_of(const struct sleeper_book *book,
					 const struct record_asleep *record)
{
	struct sleeper_summary sleeper = {
		.thread = process_named(book, record->pid, record->comm),
		.flags = record->head.flags,
		.number = record->number,
		.transport = record->transport,
	};

	sleeper.thread.tid = record->head.tid;
	if (record->since_ns && record->since_ns < record->at_ns)
		sleeper.ns = record->at_ns - record->since_ns;
	if (record->other)
		sleeper.other = process_named(book, record->other, record->other_comm);
	return sleeper;
}

int sleeper_book__finish(const struct sleeper_book *book, struct summary *summary)
{
	if (!book->cnt)
		return 0;
	summary->sleeper = calloc(book->cnt, sizeof(*summary->sleeper));
	if (!summary->sleeper)
		return -ENOMEM;
	for (uint32_t i = 0; i < book->cnt && summary->sleeper_cnt < SUMMARY_SLEEPERS_MAX; i++) {
		if (!(book->record[i].head.flags & ASLEEP_AT_BEGIN))
			summary->sleeper[summary->sleeper_cnt++] =
				sleeper_of(book, &book->record[i]);
	}
	return 0;
}
