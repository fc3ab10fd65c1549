/* SPDX-License-Identifier: BSD-2-Clause */
/* Decides where a line of text may end. */
#include "report/text/page/line_break.h"

#include "util/plain.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/* Whether the word before `at` is one that a number follows. */
static bool is_before_number(const char *rest, size_t at)
{
	static const char *const words[] = {"pid", "tid", "CPU", "RR", "FIFO", "nice"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t length = strlen(words[i]);

		if (at >= length && !memcmp(rest + at - length, words[i], length) &&
		    (at == length || rest[at - length - 1] == '(' || rest[at - length - 1] == ' '))
			return isdigit((unsigned char)rest[at + 1]) || rest[at + 1] == '-';
	}
	return false;
}

/* Whether a line may end before this space: a number stays with its unit, or with "pid". */
static bool is_break(const char *rest, size_t at)
{
	return rest[at] == ' ' && !isdigit((unsigned char)rest[at - 1]) &&
	       !is_before_number(rest, at);
}

size_t line_length(const char *rest, int room)
{
	size_t fits = plain_fit(rest, room), good = 0, length = 0;

	if (!rest[fits])
		return fits;
	for (size_t i = 1; i <= fits; i++) {
		if (rest[i] != ' ')
			continue;
		length = i;
		good = is_break(rest, i) ? i : good;
	}
	return good ?: length ?: fits ?: 1;
}
