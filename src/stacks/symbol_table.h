/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers the names of functions. Equal names have the same number. */
#pragma once

#include <stdint.h>

#define SYMBOLS_MAX 65536

struct symbol_table;

struct symbol_table *symbol_table__new(void); /* NULL: out of memory */
void symbol_table__free(struct symbol_table *table);

/* The number of `text`, from 1. 0: there is no room for another one. */
uint32_t symbol_table__number(struct symbol_table *table, const char *text);

uint32_t symbol_table__cnt(const struct symbol_table *table);

/* The text of a number that was given out. */
const char *symbol_table__text(const struct symbol_table *table, uint32_t number);
