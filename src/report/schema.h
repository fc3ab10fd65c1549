/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the JSON Schemas of all JSON that ipctrace writes, which are the files of docs/schemas.
 */
#pragma once

#include <stddef.h>

/* The text of a schema, by the name of its file. NULL: there is none of this name. */
const char *schema_find(const char *name);

/* The names, from 0 on; NULL after the last one. */
const char *schema_name_at(size_t i);
