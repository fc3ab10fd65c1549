/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps the script of each process in a hash table. */
#include "analysis/attach/script_book.h"

#include "container/lru_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct executed {
	uint32_t id; /* pid */
	uint32_t used;
	bool is_target;
	char text[SCRIPT_LEN];
	UT_hash_handle hh;
};

struct script_book {
	LRU_TABLE(struct executed);
};

struct script_book *script_book__new(void)
{
	return calloc(1, sizeof(struct script_book));
}

void script_book__free(struct script_book *book)
{
	while (book && book->first)
		LRU_DROP(book, book->first);
	free(book);
}

/* Clients come and go, and their server stays: it is put behind them. */
static void script_book_forget_oldest(struct script_book *book, struct executed *oldest)
{
	for (int i = 0; i < SCRIPT_BOOK_MAX && oldest->is_target; i++) {
		HASH_DEL(book->first, oldest);
		HASH_ADD(hh, book->first, id, sizeof(oldest->id), oldest);
		oldest = book->first;
	}
	LRU_DROP(book, oldest);
}

int script_book__add(struct script_book *book, const struct record_script *script, bool is_target)
{
	uint32_t pid = script->head.tid;
	struct executed *entry;

	LRU_FIND_OR_ADD(book, pid, entry, SCRIPT_BOOK_MAX, script_book_forget_oldest);
	if (!entry)
		return -ENOMEM;
	entry->is_target = is_target;
	memcpy(entry->text, script->text, sizeof(entry->text));
	entry->text[sizeof(entry->text) - 1] = '\0';
	if (!entry->text[0])
		LRU_DROP(book, entry);
	return 0;
}

static int by_pid(const void *a, const void *b)
{
	const struct script_summary *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

int script_book__finish(const struct script_book *book, struct summary *summary)
{
	const struct executed *entry;
	uint32_t cnt = 0;

	if (!book->first)
		return 0;
	summary->script = calloc(HASH_COUNT(book->first), sizeof(*summary->script));
	if (!summary->script)
		return -ENOMEM;
	for (entry = book->first; entry; entry = entry->hh.next) {
		summary->script[cnt].pid = entry->id;
		memcpy(summary->script[cnt++].text, entry->text, sizeof(entry->text));
	}
	qsort(summary->script, cnt, sizeof(*summary->script), by_pid);
	summary->script_cnt = cnt;
	return 0;
}
