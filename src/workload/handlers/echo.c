/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements the handler "echo", which answers with the request itself. A run with this handler
 * measures only the transport.
 */
#include "workload/handler.h"

#include <string.h>

/* A valid pointer: NULL would be a failure. */
static void *echo_open(const char *argument)
{
	static char nothing;

	(void)argument;
	return &nothing;
}

static ssize_t echo_answer(void *state, uint64_t number, const char *text, size_t size,
			   char *answer, size_t answer_size)
{
	size_t length = size < answer_size ? size : answer_size;

	(void)state;
	(void)number;
	if (length)
		memcpy(answer, text, length);
	return (ssize_t)length;
}

static void echo_close(void *state)
{
	(void)state;
}

const struct handler_ops echo_handler = {
	.name = "echo",
	.summary = "send the request back",
	.open = echo_open,
	.answer = echo_answer,
	.close = echo_close,
};
