/* SPDX-License-Identifier: BSD-2-Clause */
/* Colours and width of a real pseudo-terminal, and of a pipe. */
#include "support/test.h"

#include "cli/terminal.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define COLUMNS 97

struct outs {
	int controller; /* the terminal's controlling side */
	FILE *terminal;
	FILE *pipe;
};

static int open_outs(void **state)
{
	static struct outs outs;
	struct winsize window = {.ws_row = 24, .ws_col = COLUMNS};
	int ends[2];

	unsetenv("NO_COLOR");
	setenv("TERM", "xterm", true);
	outs.controller = posix_openpt(O_RDWR | O_NOCTTY);
	assert_true(outs.controller >= 0);
	assert_int_equal(grantpt(outs.controller) + unlockpt(outs.controller), 0);
	assert_int_equal(ioctl(outs.controller, TIOCSWINSZ, &window), 0);
	outs.terminal = fopen(ptsname(outs.controller), "w");
	assert_int_equal(pipe(ends), 0);
	close(ends[0]);
	outs.pipe = fdopen(ends[1], "w");
	assert_true(outs.terminal && outs.pipe);
	*state = &outs;
	return 0;
}

static int close_outs(void **state)
{
	struct outs *outs = *state;

	fclose(outs->terminal);
	fclose(outs->pipe);
	close(outs->controller);
	return 0;
}

EACH_TEST(open_outs, close_outs)

TEST(only_a_terminal_has_columns)
{
	struct outs *outs = *state;

	assert_int_equal(terminal_columns(outs->terminal), COLUMNS);
	assert_int_equal(terminal_columns(outs->pipe), 0);
}

TEST(a_terminal_alone_is_coloured)
{
	struct outs *outs = *state;

	assert_true(terminal_color(COLOR_AUTO, outs->terminal));
	assert_false(terminal_color(COLOR_AUTO, outs->pipe));
}

TEST(the_users_word_counts_more_than_what_it_is)
{
	struct outs *outs = *state;

	setenv("NO_COLOR", "1", true);
	assert_true(terminal_color(COLOR_ALWAYS, outs->pipe));
	assert_true(terminal_color(COLOR_ALWAYS, outs->terminal));
	assert_false(terminal_color(COLOR_NEVER, outs->terminal));
}

TEST(the_environment_may_object)
{
	struct outs *outs = *state;

	setenv("NO_COLOR", "1", true);
	assert_false(terminal_color(COLOR_AUTO, outs->terminal));
	setenv("NO_COLOR", "", true);
	assert_true(terminal_color(COLOR_AUTO, outs->terminal));
	setenv("TERM", "dumb", true);
	assert_false(terminal_color(COLOR_AUTO, outs->terminal));
}

TEST(a_line_that_is_rewritten_leaves_the_last_column_empty)
{
	struct outs *outs = *state;
	struct winsize unknown = {0};

	assert_int_equal(terminal_status_columns(fileno(outs->terminal)), COLUMNS - 1);
	assert_int_equal(ioctl(outs->controller, TIOCSWINSZ, &unknown), 0);
	assert_int_equal(terminal_status_columns(fileno(outs->terminal)), 79);
}

TEST(only_a_terminal_with_escape_codes_has_such_a_line)
{
	struct outs *outs = *state;

	assert_int_equal(terminal_status_columns(fileno(outs->pipe)), 0);
	setenv("NO_COLOR", "1", true);
	assert_int_equal(terminal_status_columns(fileno(outs->terminal)), COLUMNS - 1);
	setenv("TERM", "dumb", true);
	assert_int_equal(terminal_status_columns(fileno(outs->terminal)), 0);
}
