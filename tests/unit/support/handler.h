/* SPDX-License-Identifier: BSD-2-Clause */
/* A handler that a test has opened: it is asked, and its answers are compared. */
#ifndef IPCTRACE_TESTS_HANDLER_H
#define IPCTRACE_TESTS_HANDLER_H

#include "workload/handlers/handlers.h"

#define ROOM 4096

/* What hangs ends the tests: far more than anything takes. */
#define ALARM_S 60

/* An opened handler. */
struct served {
	const struct handler_ops *handler;
	void *state;
};

struct served handler_serve(const char *text);

void handler_leave(struct served served);

/*
 * Both texts have the memory they need and not a byte more, for the sanitizer to see. The answer is
 * the caller's to free, and ends with a NUL that the handler did not write.
 */
ssize_t handler_ask(struct served served, const char *request, size_t size, char **answer,
		    size_t answer_size);

void handler_expect(struct served served, const char *request, const char *expected);

void handler_expect_of(const char *text, const char *request, const char *expected);

void handler_expect_error(const char *text, int err);

/* The answer is cut to `size` bytes, of which `expected` has as many. */
void handler_expect_cut(const char *text, const char *request, size_t size, const char *expected);

void handler_expect_refused(const char *text, const char *reason);

/* A file of the test's own; its name is in "translate=NAME". */
struct dictionary_file {
	char text[48];
};

struct dictionary_file dictionary_file_make(const char *content);

void dictionary_file_remove(struct dictionary_file file);

int become_subreaper(void **state);

#endif
