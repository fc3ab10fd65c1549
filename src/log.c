/* SPDX-License-Identifier: BSD-2-Clause */
#include "log.h"

#include "plain.h"

#include <stdarg.h>
#include <stdio.h>

static enum log_level log_level = LOG_WARNING;

void log_set_level(enum log_level level)
{
	log_level = level;
}

enum log_level log_get_level(void)
{
	return log_level;
}

static void log_line(enum log_level level, const char *prefix, const char *format, va_list args)
{
	char line[1024], plain[PLAIN_MAX * sizeof(line)];

	if (level > log_level)
		return;
	vsnprintf(line, sizeof(line), format, args);
	/* The whole line: nothing in it may begin another one, which would look like ours. */
	plain_text(line, plain, sizeof(plain));
	/* One write a line, so that lines of several processes do not mix. */
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
