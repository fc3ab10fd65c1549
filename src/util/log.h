/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares functions that write messages to the user. Each message is one line on stderr. An error
 * has the form "ipctrace: what failed: which thing: why: what to do".
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum log_level { LOG_ERROR, LOG_WARNING, LOG_INFO, LOG_DEBUG };

/* If the line ends with the text of ENOMEM, memory_remedy() is appended. */

/*
 * -q: errors only; default: warnings and notices; -v: info; -vv: debug. A notice is something that
 * the user asked for.
 */
void log_set_level(enum log_level level);
enum log_level log_get_level(void);

/* Whether this process, or its parent before the fork, has called log_error(). */
bool log_has_error(void);

__attribute__((format(printf, 1, 2))) void log_error(const char *format, ...);
__attribute__((format(printf, 1, 2))) void log_warning(const char *format, ...);
__attribute__((format(printf, 1, 2))) void log_notice(const char *format, ...);
__attribute__((format(printf, 1, 2))) void log_info(const char *format, ...);

/* After an error: writes the text, and a mark under its byte `at`. Both lines are indented. */
void log_mark(const char *text, size_t at);
