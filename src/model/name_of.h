/* SPDX-License-Identifier: BSD-2-Clause */
/* Looks up the name of an enum value. A recording can hold values that no table has. */
#ifndef IPCTRACE_MODEL_NAME_OF_H
#define IPCTRACE_MODEL_NAME_OF_H

/* `table` is an array of texts; "?": it has no such entry. */
#define NAME_OF(table, value)                                                                      \
	((unsigned int)(value) < sizeof(table) / sizeof((table)[0]) ? (table)[value] : "?")

#endif
