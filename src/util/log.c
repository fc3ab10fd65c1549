/* SPDX-License-Identifier: BSD-2-Clause */
/* Formats a message for the user, escapes special bytes, and writes one line to stderr. */
#include "util/log.h"

#include "util/memory.h"
#include "util/plain.h"
#include "util/process_limits.h"
#include "util/status_line.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static enum log_level log_level = LOG_WARNING;

void log_set_level(enum log_level level)
{
	log_level = level;
}

enum log_level log_get_level(void)
{
	return log_level;
}

/* Whether an error was logged. */
static bool had_error;

bool log_has_error(void)
{
	return had_error;
}

/* The remedy for a lack of descriptors is the same everywhere, and replaces any other. */
static void set_files_remedy(char *line, size_t size)
{
	char reason[64], remedy[FILES_REMEDY_LEN], *at;
	size_t length = snprintf(reason, sizeof(reason), ": %s", strerror(EMFILE));

	for (at = strstr(line, reason); at; at = strstr(at + 1, reason)) {
		if (!at[length] || at[length] == ':')
			break;
	}
	if (at)
		snprintf(at + length, size - (at + length - line), ": %s", files_remedy(remedy));
}

/* The remedy for a lack of memory is the same everywhere. */
static void add_remedy(char *line, size_t size)
{
	const char *reason = strerror(ENOMEM);
	size_t length = strlen(line), reason_length = strlen(reason);
	char remedy[MEMORY_REMEDY_LEN];

	if (length >= reason_length && !strcmp(line + length - reason_length, reason))
		snprintf(line + length, size - length, ": %s", memory_remedy(remedy));
}

static void log_line(enum log_level level, const char *prefix, const char *format, va_list args)
{
	char line[1024], plain[PLAIN_MAX * sizeof(line)];

	had_error = had_error || level == LOG_ERROR;
	if (level > log_level)
		return;
	vsnprintf(line, sizeof(line), format, args);
	if (level == LOG_ERROR)
		add_remedy(line, sizeof(line));
	if (level == LOG_ERROR)
		set_files_remedy(line, sizeof(line));
	/*
	 * Escapes the whole line. A newline in a foreign name would begin a line that looks like
	 * one of this program.
	 */
	plain_text(line, plain, sizeof(plain));
	status_line_clear();
	/* One write per line, so that lines of several processes do not mix. */
	fprintf(stderr, "ipctrace: %s%s\n", prefix, plain);
}

#define LOG_FUNCTION(name, level, prefix)                                                          \
	void name(const char *format, ...)                                                         \
	{                                                                                          \
		va_list args;                                                                      \
		va_start(args, format);                                                            \
		log_line(level, prefix, format, args);                                             \
		va_end(args);                                                                      \
	}

LOG_FUNCTION(log_error, LOG_ERROR, "")
LOG_FUNCTION(log_warning, LOG_WARNING, "warning: ")
LOG_FUNCTION(log_notice, LOG_WARNING, "")
LOG_FUNCTION(log_info, LOG_INFO, "")

#define MARK_INDENT   "  "
#define MARK_TEXT_LEN 400

/* In the text every byte takes one column, so that the mark is under its place. */
void log_mark(const char *text, size_t at)
{
	char shown[MARK_TEXT_LEN];
	size_t i;

	for (i = 0; text[i] && i < sizeof(shown) - 1; i++)
		shown[i] = text[i] >= ' ' && text[i] < 0x7f ? text[i] : '?';
	shown[i] = '\0';
	status_line_clear();
	at = at < i ? at : i;
	fprintf(stderr, MARK_INDENT "%s\n" MARK_INDENT "%*s^\n", shown, (int)at, "");
}
