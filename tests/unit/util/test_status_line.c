/* SPDX-License-Identifier: BSD-2-Clause */
/* What a pseudo-terminal gets of the status line, and of messages while it is shown. */
#include "support/test.h"

#include "util/log.h"
#include "util/status_line.h"

#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

static int controller, saved;

static int open_terminal(void **state)
{
	struct termios as_written;
	int terminal;

	controller = posix_openpt(O_RDWR | O_NOCTTY);
	assert_true(controller >= 0);
	assert_int_equal(grantpt(controller) + unlockpt(controller), 0);
	terminal = open(ptsname(controller), O_RDWR | O_NOCTTY);
	assert_true(terminal >= 0);
	assert_int_equal(tcgetattr(terminal, &as_written), 0);
	cfmakeraw(&as_written);
	assert_int_equal(tcsetattr(terminal, TCSANOW, &as_written), 0);
	saved = dup(STDERR_FILENO);
	assert_true(dup2(terminal, STDERR_FILENO) >= 0);
	close(terminal);
	return 0;
}

static int close_terminal(void **state)
{
	dup2(saved, STDERR_FILENO);
	close(saved);
	close(controller);
	return 0;
}

EACH_TEST(open_terminal, close_terminal)

/* What the terminal got since the last call. */
static const char *shown(void)
{
	static char text[4096];
	struct pollfd output = {.fd = controller, .events = POLLIN};
	size_t length = 0;

	while (poll(&output, 1, 100) == 1) {
		ssize_t got = read(controller, text + length, sizeof(text) - 1 - length);

		assert_true(got > 0);
		length += got;
	}
	text[length] = '\0';
	return text;
}

TEST(the_cursor_rests_at_the_beginning)
{
	status_line_show("1 s");
	assert_string_equal(shown(), "\r\033[J1 s\r");
	status_line_show("2 s");
	assert_string_equal(shown(), "\r\033[J2 s\r");
	status_line_clear();
	assert_string_equal(shown(), "\r\033[J");
}

TEST(what_is_not_shown_is_not_cleared)
{
	status_line_clear();
	assert_string_equal(shown(), "");
}

TEST(a_message_takes_the_place_of_the_line)
{
	status_line_show("1 s");
	log_warning("it rains");
	log_warning("it pours");
	assert_string_equal(shown(), "\r\033[J1 s\r"
				     "\r\033[Jipctrace: warning: it rains\n"
				     "ipctrace: warning: it pours\n");
}

/* Then nothing waits for the user. */
TEST(a_terminal_that_was_stopped_gets_nothing)
{
	tcflow(STDERR_FILENO, TCOOFF);
	status_line_show("1 s");
	tcflow(STDERR_FILENO, TCOON);
	assert_string_equal(shown(), "");
	status_line_clear();
	assert_string_equal(shown(), "");
}

TEST(a_line_that_is_too_long_is_cut)
{
	char text[2 * STATUS_LINE_LEN];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	status_line_show(text);
	assert_int_equal(strspn(shown() + strlen("\r\033[J"), "x"), STATUS_LINE_LEN - 2);
	status_line_clear();
	shown();
}
