/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines a table of the fields of every record type. The coder uses this table. The header of a
 * recording contains the table, so that other programs can decode the records.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct field {
	const char *name;
	size_t offset;
	size_t size;
	bool is_any; /* every value is possible: positions, identities, text */
};

struct layout {
	const char *name;
	unsigned int type;         /* enum record_type */
	size_t size;               /* bytes; tail words may follow, see record.h */
	const struct field *field; /* ends with one without a name; bytes outside of fields are 0 */
};

/* All layouts; sets `cnt` to their number. */
const struct layout *recording_layouts(size_t *cnt);
