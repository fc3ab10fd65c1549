/* SPDX-License-Identifier: BSD-2-Clause */
/* Cuts the received bytes of a byte stream into messages. */
#include "workload/member/inbox.h"
#include "workload/member/message.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int inbox_make(struct inbox *inbox, size_t fixed, size_t most, size_t read)
{
	/* Room for a message that has begun and for one more read. */
	*inbox = (struct inbox){.room = most + read, .fixed = fixed, .most = most};
	inbox->bytes = malloc(inbox->room);
	return inbox->bytes ? 0 : -ENOMEM;
}

void inbox_free(struct inbox *inbox)
{
	free(inbox->bytes);
	inbox->bytes = NULL;
}

/* Size of the first message; 0: not known yet. */
static ssize_t first_size(const struct inbox *inbox)
{
	struct message_header header;

	if (inbox->fixed)
		return (ssize_t)inbox->fixed;
	if (inbox->end - inbox->begin < sizeof(header))
		return 0;
	memcpy(&header, inbox->bytes + inbox->begin, sizeof(header));
	if (header.magic != MESSAGE_MAGIC || header.size < sizeof(header) ||
	    header.size > inbox->most)
		return -EPROTO;
	return header.size;
}

size_t inbox_missing(const struct inbox *inbox)
{
	size_t have = inbox->end - inbox->begin;
	ssize_t size = have ? first_size(inbox) : 0;

	return size > 0 && (size_t)size > have ? (size_t)size - have : 0;
}

char *inbox_space(struct inbox *inbox, size_t size)
{
	if (inbox->begin == inbox->end) {
		inbox->begin = inbox->end = 0;
	} else if (inbox->room - inbox->end < size) {
		memmove(inbox->bytes, inbox->bytes + inbox->begin, inbox->end - inbox->begin);
		inbox->end -= inbox->begin;
		inbox->begin = 0;
	}
	return inbox->bytes + inbox->end;
}

void inbox_added(struct inbox *inbox, size_t size)
{
	inbox->end += size;
}

ssize_t inbox_pop(struct inbox *inbox, char **message)
{
	size_t have = inbox->end - inbox->begin;
	ssize_t size = have ? first_size(inbox) : 0;

	if (size <= 0)
		return size;
	if ((size_t)size > have)
		return 0;
	*message = inbox->bytes + inbox->begin;
	inbox->begin += (size_t)size;
	return size;
}
