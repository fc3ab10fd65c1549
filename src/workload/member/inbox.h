/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines the inbox, which collects the received bytes of a byte stream, and hands out whole
 * messages. The inbox may hold a part of a message, or several messages.
 */
#pragma once

#include <stddef.h>
#include <sys/types.h>

struct inbox {
	char *bytes; /* owned */
	size_t room;
	size_t begin; /* where the unprocessed bytes begin in `bytes` */
	size_t end;
	size_t fixed; /* size of every message without a header; 0: the header has the size */
	size_t most;  /* size of the largest message */
};

/* `read` is the largest number of bytes that one read asks for. 0 or -ENOMEM. */
int inbox_make(struct inbox *inbox, size_t fixed, size_t most, size_t read);
void inbox_free(struct inbox *inbox);

/* Bytes that are missing from the first message; 0: not known, or no message has begun. */
size_t inbox_missing(const struct inbox *inbox);

/* Where the next `size` bytes go. inbox_added() says how many have come. */
char *inbox_space(struct inbox *inbox, size_t size);
void inbox_added(struct inbox *inbox, size_t size);

/*
 * Removes the first message if it is complete. Returns its size, and a pointer that is valid until
 * the next inbox_space(). 0: not complete yet. -EPROTO: the bytes are no message, so the beginning
 * of the next one is unknown.
 */
ssize_t inbox_pop(struct inbox *inbox, char **message);
