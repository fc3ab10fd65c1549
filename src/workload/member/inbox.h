/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bytes that have come over one link of a byte stream and have not been taken yet: makes whole
 * messages out of parts, and single ones out of several. No message is copied unless it has to be
 * moved to the front to have room for its rest.
 */
#ifndef IPCTRACE_WORKLOAD_MEMBER_INBOX_H
#define IPCTRACE_WORKLOAD_MEMBER_INBOX_H

#include <stddef.h>
#include <sys/types.h>

struct inbox {
	char *bytes; /* owned */
	size_t room;
	size_t begin; /* of what has not been taken, in `bytes` */
	size_t end;
	size_t fixed; /* size of every message, of those too small for a header; 0: they say it */
	size_t most;  /* size of the largest message */
};

/* `read`: the most bytes that are asked for at once. 0 or -ENOMEM. */
int inbox_make(struct inbox *inbox, size_t fixed, size_t most, size_t read);
void inbox_free(struct inbox *inbox);

/* Bytes that the message is short of which has begun, or 0: unknown, none has. */
size_t inbox_missing(const struct inbox *inbox);

/* Where the next `size` bytes go; inbox_added() says how many came. */
char *inbox_space(struct inbox *inbox, size_t size);
void inbox_added(struct inbox *inbox, size_t size);

/*
 * Takes out the first message if all of it is there: its size, and where it is until the next
 * inbox_space(). 0: not yet. -EPROTO: what is there is no message, so nobody knows where one
 * begins.
 */
ssize_t inbox_pop(struct inbox *inbox, char **message);

#endif
