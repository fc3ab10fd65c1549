/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes and reads the contents of recordings that keep only slow messages (--slower-than). Such a
 * recording holds results of the analysis: the slow messages, and the summary of all messages. The
 * records of the slow messages alone would not suffice, because the analysis of a message also
 * needs earlier records.
 */
#pragma once

#include "model/serializer.h"
#include "model/summary.h"

/* Writes a record, which is borrowed. 0 or -errno. */
typedef int slow_messages_write_fn(void *ctx, const struct record *record);

/* Writes the message, or the summary, as records. 0, -ENOMEM or what `write` returned. */
int slow_messages_write_message(const struct message *message, slow_messages_write_fn *write,
				void *ctx);
int slow_messages_write_summary(const struct summary *summary, slow_messages_write_fn *write,
				void *ctx);

struct slow_messages;

/* The records hold a summary without its run_info, so `info` is copied. NULL: out of memory. */
struct slow_messages *slow_messages__new(const struct run_info *info);
void slow_messages__free(struct slow_messages *slow);

/*
 * Adds a record. 1: `message` is complete, and valid until the next call. 0: it is not; -ENOMEM. A
 * message or summary that cannot be read is left out.
 */
int slow_messages__record(struct slow_messages *slow, const struct record_slow *record,
			  struct message *message);

/* NULL: it is not here. The caller fills in `truncated`. */
struct summary *slow_messages__summary(struct slow_messages *slow);

/* For slow_messages.c, from serialize_message.c and serialize_summary.c. */
struct slow_messages_lists {
	struct segment *segment; /* owned */
	struct blame *blame;
};
void serialize_message(struct serializer *s, struct message *message,
		       struct slow_messages_lists *lists);
void serialize_summary(struct serializer *s, struct summary *summary);
void serialize_blame(struct serializer *s, struct blame *blame);
void serialize_components(struct serializer *s, uint64_t ns[NR_COMPONENTS]);
void serialize_component(struct serializer *s, uint32_t *component);
