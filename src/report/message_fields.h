/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the fields of a message: which ones there are, in which order, and when one is not
 * known. Every format that shows single messages writes these fields in its own way.
 */
#pragma once

#include "model/blocked_calls.h"
#include "model/members/members.h"
#include "model/message.h"
#include "model/spec.h"

/*
 * How a format writes fields. For each field name() comes first, and then one value. `out` is what
 * the caller of fields_write() passes. All pointers are borrowed during the call.
 */
struct field_writer {
	void (*name)(void *out, const char *name); /* needs no escapes */

	void (*null)(void *out);
	void (*integer)(void *out, uint64_t number);
	void (*text)(void *out, const char *text); /* not empty; the name of a thread is foreign */
	void (*flag)(void *out, bool flag);
	void (*words)(void *out, const char *const *word, uint32_t cnt); /* need no escapes */
	void (*entries)(void *out, const struct members *of, const void *entry, uint32_t cnt);
};

extern const struct members message_members;

/* Passes the values of a struct to `writer`: of a message, or of another one of single numbers. */
void fields_write(const struct members *table, const struct run_info *info, const void *of,
		  const struct field_writer *writer, void *out);

/* The value of one row, without its name. `info` is that of a message, else NULL. */
void field_write(const struct member *row, const struct run_info *info, const void *of,
		 const struct field_writer *writer, void *out);
