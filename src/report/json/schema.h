/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the JSON Schemas of all JSON that ipctrace writes, from the tables of what it writes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

bool schema_is_known(const char *name);

/* The names, from 0 on; NULL after the last one. */
const char *schema_name_at(size_t i);

/* 0 or -errno. */
int schema_write(const char *name, FILE *out);
