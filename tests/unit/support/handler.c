/* SPDX-License-Identifier: BSD-2-Clause */
/* Asks a handler as a server does. */
#include "support/handler.h"
#include "support/build.h"
#include "support/capture.h"

#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

struct served handler_serve(const char *text)
{
	const char *argument;
	struct served served;
	char why[200] = "";

	served.handler = handler_find(text, &argument, why, sizeof(why));
	if (!served.handler)
		fail_msg("%s: %s", text, why);
	served.state = served.handler->open(argument);
	assert_non_null(served.state);
	return served;
}

void handler_leave(struct served served)
{
	served.handler->close(served.state);
}

ssize_t handler_ask(struct served served, const char *request, size_t size, char **answer,
		    size_t answer_size)
{
	char *text = malloc(size ? size : 1);
	char *room = malloc(answer_size ? answer_size : 1);
	ssize_t length;

	memcpy(text, request, size);
	length = served.handler->answer(served.state, text, size, room, answer_size);
	*answer = calloc(1, answer_size + 1);
	if (length > 0)
		memcpy(*answer, room, (size_t)length);
	free(room);
	free(text);
	return length;
}

void handler_expect(struct served served, const char *request, const char *expected)
{
	char *answer;
	ssize_t length = handler_ask(served, request, strlen(request), &answer, ROOM);

	assert_int_equal(length, strlen(expected));
	assert_string_equal(answer, expected);
	free(answer);
}

void handler_expect_of(const char *text, const char *request, const char *expected)
{
	struct served served = handler_serve(text);

	handler_expect(served, request, expected);
	handler_leave(served);
}

void handler_expect_error(const char *text, int err)
{
	struct served served = handler_serve(text);
	char *answer;

	assert_int_equal(handler_ask(served, "", 0, &answer, ROOM), err);
	free(answer);
	handler_leave(served);
}

void handler_expect_cut(const char *text, const char *request, size_t size, const char *expected)
{
	struct served served = handler_serve(text);
	char *answer;

	assert_int_equal(handler_ask(served, request, strlen(request), &answer, size), size);
	assert_string_equal(answer, expected);
	free(answer);
	handler_leave(served);
}

void handler_expect_refused(const char *text, const char *reason)
{
	const char *argument;
	char why[200] = "";

	if (handler_find(text, &argument, why, sizeof(why)))
		fail_msg("'%s' is taken for a handler", text);
	assert_has(why, reason);
	assert_has_not(why, "\n");
}

struct dictionary_file dictionary_file_make(const char *content)
{
	struct dictionary_file file = {"translate=/tmp/ipctrace-test-XXXXXX"};
	int fd = mkstemp(strchr(file.text, '/'));

	assert_true(fd >= 0);
	assert_int_equal(write(fd, content, strlen(content)), strlen(content));
	close(fd);
	return file;
}

void dictionary_file_remove(struct dictionary_file file)
{
	assert_int_equal(unlink(strchr(file.text, '/')), 0);
}

int become_subreaper(void **state)
{
	return prctl(PR_SET_CHILD_SUBREAPER, 1);
}
