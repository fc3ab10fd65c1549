/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps the names of functions in a hash table and in an array. */
#include "stacks/symbol_table.h"

#include <stdlib.h>
#include <string.h>
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

struct symbol {
	uint32_t number;
	UT_hash_handle hh;
	char text[];
};

struct symbol_table {
	struct symbol *symbol; /* hash by text */
	const struct symbol *by_number[SYMBOLS_MAX + 1];
};

struct symbol_table *symbol_table__new(void)
{
	return calloc(1, sizeof(struct symbol_table));
}

void symbol_table__free(struct symbol_table *table)
{
	struct symbol *symbol, *next;

	if (!table)
		return;
	HASH_ITER (hh, table->symbol, symbol, next) {
		HASH_DEL(table->symbol, symbol);
		free(symbol);
	}
	free(table);
}

uint32_t symbol_table__number(struct symbol_table *table, const char *text)
{
	size_t length = strlen(text);
	struct symbol *symbol;

	HASH_FIND(hh, table->symbol, text, length, symbol);
	if (symbol)
		return symbol->number;
	if (HASH_COUNT(table->symbol) >= SYMBOLS_MAX)
		return 0;
	symbol = malloc(sizeof(*symbol) + length + 1);
	if (!symbol)
		return 0;
	memcpy(symbol->text, text, length + 1);
	symbol->number = HASH_COUNT(table->symbol) + 1;
	HASH_ADD_KEYPTR(hh, table->symbol, symbol->text, length, symbol);
	if (!symbol->hh.tbl) {
		free(symbol);
		return 0;
	}
	table->by_number[symbol->number] = symbol;
	return symbol->number;
}

uint32_t symbol_table__cnt(const struct symbol_table *table)
{
	return HASH_COUNT(table->symbol);
}

const char *symbol_table__text(const struct symbol_table *table, uint32_t number)
{
	return table->by_number[number]->text;
}
