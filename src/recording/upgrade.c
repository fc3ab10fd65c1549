/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Converts records of recordings whose format is older than version 6. Some of these records have
 * flags in unused bits of other fields. The flags now have a field of their own.
 */
#include "recording/upgrade.h"

/* Where the flags were before version 6. */
#define UNWATCHED_IN_CPU      (1u << 15)
#define AMBIGUOUS_IN_POSITION (1ULL << 63)
#define LATE_IN_BYTES         (1u << 31)
#define AMBIGUOUS_IN_BYTES    (1u << 30)

static void upgrade_send(struct record_send *send)
{
	if (send->head.cpu & UNWATCHED_IN_CPU)
		send->head.flags |= SEND_UNWATCHED;
	send->head.cpu &= ~UNWATCHED_IN_CPU;
	if (send->channel == CHANNEL_UNKNOWN)
		return;
	if (send->position & AMBIGUOUS_IN_POSITION)
		send->head.flags |= SEND_AMBIGUOUS;
	send->position &= ~AMBIGUOUS_IN_POSITION;
}

static void upgrade_receive(struct record_receive *receive)
{
	if (receive->channel == CHANNEL_UNKNOWN)
		return;
	if (receive->bytes & LATE_IN_BYTES)
		receive->head.flags |= RECEIVE_LATE;
	if (receive->bytes & AMBIGUOUS_IN_BYTES)
		receive->head.flags |= RECEIVE_AMBIGUOUS;
	receive->bytes &= ~(LATE_IN_BYTES | AMBIGUOUS_IN_BYTES);
}

void record_upgrade(struct record *record, bool is_attach)
{
	record->flags = 0;
	if (is_attach && record->type == RECORD_SEND)
		upgrade_send((struct record_send *)record);
	else if (is_attach && record->type == RECORD_RECEIVE)
		upgrade_receive((struct record_receive *)record);
}
