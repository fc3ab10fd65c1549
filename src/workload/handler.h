/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a server does with a request before it answers. One file each, listed in
 * handlers/handlers.c. Runs in the server's thread, with the user's privileges.
 */
#ifndef IPCTRACE_WORKLOAD_HANDLER_H
#define IPCTRACE_WORKLOAD_HANDLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct handler_ops {
	const char *name;     /* the word of --handler, before the = */
	const char *argument; /* what goes behind the =, for help; NULL: nothing does */
	const char *summary;  /* one line for people */
	bool lengthens;       /* answers are text that can be longer than the request's */
	bool runs_commands;   /* of the user's: they may stop or kill any process of the workload */

	/* NULL if `argument` (NULL: none given) can be used; else why not, static. No effects. */
	const char *(*refuse)(const char *argument);

	/* In the server, before the first request. NULL and errno on failure. */
	void *(*open)(const char *argument);

	/*
	 * The text of request `number` of `client`, as its client sends it: at most `size` bytes.
	 * How many; 0: the message's own filling will do. Runs in the client: no state. Optional.
	 */
	size_t (*ask)(uint32_t client, uint64_t number, char *text, size_t size);

	/*
	 * Answers `text` with at most `answer_size` bytes. How many, which is cut if there were
	 * more, or -errno. `number` is the request's.
	 */
	ssize_t (*answer)(void *state, uint64_t number, const char *text, size_t size, char *answer,
			  size_t answer_size);
	void (*close)(void *state);
};

extern const struct handler_ops echo_handler;
extern const struct handler_ops translate_handler;
extern const struct handler_ops spin_handler;
extern const struct handler_ops sleep_handler;
extern const struct handler_ops exec_handler;

#endif
