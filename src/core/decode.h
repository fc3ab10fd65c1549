/* SPDX-License-Identifier: BSD-2-Clause */
/* Is this a record, and how long is it? */
#ifndef IPCTRACE_CORE_DECODE_H
#define IPCTRACE_CORE_DECODE_H

#include "bpf/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

static inline size_t record_size(const struct record *record)
{
	return record->words * (size_t)8;
}

/*
 * Checks the record at the start of `available` bytes. Its size; 0 if it goes on after these bytes;
 * -EINVAL if it is of no known type or too short for its type.
 */
ssize_t record_check(const struct record *record, size_t available);

/* Attach: whether this end was not the work of a system call, see record.h. */
static inline bool send_is_outside(const struct record_send *send)
{
	return send->head.words >= RECORD_WORDS(struct record_send_outside);
}

/* Attach: see SEND_UNWATCHED. */
static inline bool send_is_unwatched(const struct record_send *send)
{
	return send->head.cpu & SEND_UNWATCHED;
}

static inline bool receive_is_outside(const struct record_receive *receive)
{
	return receive->enter_ns && receive->enter_ns == receive->exit_ns;
}

/* The changes that follow a RECEIVE or CHANGES record, and how many. */
const uint64_t *receive_changes(const struct record_receive *receive, size_t *cnt);
const uint64_t *changes_changes(const struct record_changes *changes, size_t *cnt);

#endif
