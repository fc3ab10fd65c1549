/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages to the person at the terminal: stderr, one line each, "ipctrace: what failed: which
 * thing: why: what to do". stdout belongs to the report.
 */
#ifndef IPCTRACE_UTIL_LOG_H
#define IPCTRACE_UTIL_LOG_H

#include <stdbool.h>

enum log_level { LOG_ERROR, LOG_WARNING, LOG_INFO, LOG_DEBUG };

/*
 * An error whose reason, at the end of its line, is that of ENOMEM gets what to do about that
 * behind it (memory_remedy()).
 */

/* -q: errors only; default: warnings; -v: info; -vv: debug. A notice is what was asked for. */
void log_set_level(enum log_level level);
enum log_level log_get_level(void);

/* Whether this process, or the one that forked it before, has called log_error(). */
bool log_has_error(void);

__attribute__((format(printf, 1, 2))) void log_error(const char *format, ...);
__attribute__((format(printf, 1, 2))) void log_warning(const char *format, ...);
__attribute__((format(printf, 1, 2))) void log_notice(const char *format, ...);
__attribute__((format(printf, 1, 2))) void log_info(const char *format, ...);

#endif
