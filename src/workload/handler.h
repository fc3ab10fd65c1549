/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines a handler, a set of functions that turn a request into an answer. Answers are made in
 * the server's thread, with the privileges of the caller (util/caller.h). handlers/handlers.c
 * lists all handlers.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct handler_ops {
	const char *name;     /* the word of --handler, before the = */
	const char *argument; /* what follows the =, for help; NULL: nothing */
	const char *summary;  /* one line for people */
	bool lengthens;       /* answers are text that can be longer than the request */
	bool runs_commands; /* commands of the user can stop or kill any process of the workload */

	/*
	 * NULL if `argument` (NULL: none given) can be used, else why not, static. No effects.
	 * Optional without an argument.
	 */
	const char *(*refuse)(const char *argument);

	/* Called in the server before the first request. NULL and errno on failure. */
	void *(*open)(const char *argument);

	/*
	 * Writes the text of a request of `client`, at most `size` bytes. Returns its length; 0:
	 * the message keeps its own filling. Called in the client, without state. Optional.
	 */
	size_t (*ask)(uint32_t client, char *text, size_t size);

	/*
	 * Answers `text` with at most `answer_size` bytes; a longer answer is cut. Returns the
	 * length or -errno.
	 */
	ssize_t (*answer)(void *state, const char *text, size_t size, char *answer,
			  size_t answer_size);
	void (*close)(void *state);
};

extern const struct handler_ops echo_handler;
extern const struct handler_ops translate_handler;
extern const struct handler_ops spin_handler;
extern const struct handler_ops sleep_handler;
extern const struct handler_ops exec_handler;

/* Of "translate", if the user names no file: a word, a blank and its translation on every line. */
extern const char dictionary_text[];

/* A command of "exec" without an answer by then is killed. Only tests change it. */
extern unsigned int exec_time_limit_s;

/*
 * Finds the handler of a text such as "spin=20us", and where its argument begins in `text` (NULL:
 * no argument). NULL: `why` (of `why_size` bytes) says that there is no such handler or what is
 * wrong with the argument.
 */
const struct handler_ops *handler_find(const char *text, const char **argument, char *why,
				       size_t why_size);

#define HANDLER_LABEL_LEN 32

/* All of them; NULL is the end. */
extern const struct handler_ops *const handlers[];

/* "echo", "spin=DUR", or "translate[=FILE]" for an optional argument. */
void handler_label(const struct handler_ops *handler, char label[HANDLER_LABEL_LEN]);
