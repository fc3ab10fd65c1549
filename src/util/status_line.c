/* SPDX-License-Identifier: BSD-2-Clause */
/* Rewrites one line of the terminal in place. */
#include "util/status_line.h"

#include <poll.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* To the end of the screen: the line may have been broken into several rows. */
#define CLEAR "\r\033[J"

/* Any thread may log a message. */
static atomic_bool is_shown;

/* Bypasses plain.h, which would escape the cursor control. */
static void put_own(const char *text)
{
	if (write(STDERR_FILENO, text, strlen(text)) < 0)
		return; /* the terminal is gone */
}

void status_line_show(const char *text)
{
	struct pollfd terminal = {.fd = STDERR_FILENO, .events = POLLOUT};
	char line[STATUS_LINE_LEN + sizeof(CLEAR)];

	if (poll(&terminal, 1, 0) != 1 || !(terminal.revents & POLLOUT))
		return;
	snprintf(line, sizeof(line), CLEAR "%.*s\r", STATUS_LINE_LEN - 2, text);
	atomic_store(&is_shown, true);
	put_own(line);
}

void status_line_clear(void)
{
	if (atomic_exchange(&is_shown, false))
		put_own(CLEAR);
}
