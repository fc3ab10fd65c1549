/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens a handler for a test, sends it requests, and compares the answers. */
#pragma once

#include "workload/handler.h"

#define ROOM 4096

/* A hanging test is ended after this time, which is far more than any test needs. */
#define ALARM_S 60

/* An opened handler. */
struct served {
	const struct handler_ops *handler;
	void *state;
};

struct served handler_serve(const char *text);

void handler_leave(struct served served);

/*
 * Both texts are allocated with their exact sizes, for the sanitizer to check. The caller frees the
 * answer, which ends with a NUL that the handler did not write.
 */
ssize_t handler_ask(struct served served, const char *request, size_t size, char **answer,
		    size_t answer_size);

void handler_expect(struct served served, const char *request, const char *expected);

void handler_expect_of(const char *text, const char *request, const char *expected);

void handler_expect_error(const char *text, int err);

/* Expects an answer that is cut to `size` bytes. */
void handler_expect_cut(const char *text, const char *request, size_t size, const char *expected);

void handler_expect_refused(const char *text, const char *reason);

/* A temporary file; `text` is "translate=NAME". */
struct dictionary_file {
	char text[48];
};

struct dictionary_file dictionary_file_make(const char *content);

void dictionary_file_remove(struct dictionary_file file);

int become_subreaper(void **state);
