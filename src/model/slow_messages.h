/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a recording keeps with --slower-than, instead of the records that came: the messages that
 * are slower, as they were handed out, and the statistics of all. Records cannot be picked out: the
 * positions and states of one message go on from those of the messages before it.
 *
 * Both are words (model/serializer.h), which come in as many KEPT records as they need.
 */
#ifndef IPCTRACE_MODEL_SLOW_MESSAGES_H
#define IPCTRACE_MODEL_SLOW_MESSAGES_H

#include "model/serializer.h"
#include "model/summary.h"

/* Takes a record, which is borrowed. 0 or -errno. */
typedef int kept_fn(void *ctx, const struct record *record);

/* Brings the message, or the summary, as records. 0, -ENOMEM or what `take` returned. */
int kept_message(const struct message *message, kept_fn *take, void *ctx);
int kept_summary(const struct summary *summary, kept_fn *take, void *ctx);

struct slow_messages;

/* Of a summary, whose `info` is copied, all but that is read. NULL: out of memory. */
struct slow_messages *slow_messages__new(const struct run_info *info);
void slow_messages__free(struct slow_messages *kept);

/*
 * Takes a record. 1: `message`, which is complete now, is valid until the next call. 0; -ENOMEM.
 * What cannot be read is left out.
 */
int slow_messages__record(struct slow_messages *kept, const struct record_kept *record,
			  struct message *message);

/* NULL: it has not come. `truncated` is for the caller to find out. */
struct summary *slow_messages__summary(struct slow_messages *kept);

/* For slow_messages.c, from serialize_message.c and serialize_summary.c. */
struct slow_messages_lists {
	struct segment *segment; /* owned */
	struct blame *blame;
};
void keep_message(struct serializer *a, struct message *message, struct slow_messages_lists *lists);
void keep_summary(struct serializer *a, struct summary *summary);
void keep_blame(struct serializer *a, struct blame *blame);

#endif
