/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the fields of a message: which ones there are, in which order, and when one is not
 * known. Every format that shows single messages writes these fields in its own way.
 */
#pragma once

#include "model/blocked_calls.h"
#include "model/message.h"
#include "model/spec.h"

/*
 * How a format writes fields. For each field name() comes first, and then one value. `out` is what
 * the caller of message_fields_write() passes. All pointers are borrowed during the call.
 */
struct field_writer {
	/* The name of the field is `name` followed by `more`. Neither needs escapes. */
	void (*name)(void *out, const char *name, const char *more);

	void (*null)(void *out);
	void (*integer)(void *out, uint64_t number);
	void (*text)(void *out, const char *text); /* not empty; the name of a thread is foreign */
	void (*flag)(void *out, bool flag);
	void (*words)(void *out, const char *const *word, uint32_t cnt); /* need no escapes */
	void (*blames)(void *out, const struct blame *blame, uint32_t cnt);
	/* The syscalls have the numbers of `arch`; see syscall_name(). */
	void (*blocked)(void *out, const struct blocked_calls *blocked, const char *arch);
};

/* What is known of the messages of a run. */
struct message_view {
	bool traced; /* else only the clients' stamps are known */
	bool is_attach;
	char arch[SPEC_TEXT_LEN]; /* to name the syscalls of an attach; empty: a run */
};

struct message_view message_view_of(const struct run_info *info);

/* Passes all fields of the message to `writer`. */
void message_fields_write(const struct message *message, const struct message_view *view,
			  const struct field_writer *writer, void *out);

/* Passes the names of all fields to `name`. */
void message_fields_names(void (*name)(void *out, const char *name, const char *more), void *out);
