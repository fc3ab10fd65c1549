/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares functions that check the type and the length of a record, and read its contents. */
#pragma once

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

/* What a function that handles records of some types returns for one of another type. */
#define RECORD_IS_NOT_MINE 1

/* As recordings call the type, see bpf/record_list.h; "unknown": there is no such type. */
const char *record_name(unsigned int type);

/* Attach: whether this end was not the work of a system call, see record.h. */
static inline bool send_is_outside(const struct record_send *send)
{
	return send->head.words >= RECORD_WORDS(struct record_send_outside);
}

static inline bool receive_is_outside(const struct record_receive *receive)
{
	return receive->enter_ns && receive->enter_ns == receive->exit_ns;
}

/* A SEND without a place in its channel is joined to no RECEIVE, see POSITION_NONE. */
static inline bool send_has_place(const struct record_send *send)
{
	return send->channel != CHANNEL_UNKNOWN && send->position != POSITION_NONE;
}

/* Attach: see SEND_UNWATCHED. */
static inline bool send_is_unwatched(const struct record_send *send)
{
	return send->head.flags & SEND_UNWATCHED;
}

/*
 * Attach: until when another send may have come before it. UDP datagrams are numbered as they are
 * queued, all others when their call is over.
 */
static inline uint64_t send_counted_ns(const struct record_send *send)
{
	const struct record_send_counted *counted = (const void *)send;

	if (send->head.words >= RECORD_WORDS(*counted))
		return counted->counted_ns;
	return send->queued_ns ? send->queued_ns : send->send_ns;
}

/* TCP: a number that no version has is not known. */
static inline enum send_held send_held(const struct record_send *send)
{
	uint32_t held = send->head.flags / SEND_HELD;

	return held < NR_SEND_HELD ? held : HELD_NOT;
}

/* What a channel is made of; see transport_is_stream(), too. */
static inline bool transport_is_tcp(uint32_t transport)
{
	return transport == TRANSPORT_TCP || transport == TRANSPORT_TCP6;
}

static inline bool transport_is_udp(uint32_t transport)
{
	return transport == TRANSPORT_UDP || transport == TRANSPORT_UDP6;
}

static inline bool transport_is_queue(uint32_t transport)
{
	return transport == TRANSPORT_MQUEUE || transport == TRANSPORT_SYSV;
}

/* The changes that follow a RECEIVE or CHANGES record, and how many. */
const uint64_t *receive_changes(const struct record_receive *receive, size_t *cnt);
const uint64_t *changes_changes(const struct record_changes *changes, size_t *cnt);

/* The text that follows the first `from` bytes of a PATH or FOUND record. */
void record_text(const struct record *record, size_t from, char text[PATH_TEXT_LEN]);
