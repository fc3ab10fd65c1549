/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a load works: what its process has, how it starts programs, and how it tells the rest of
 * the program what it has done.
 */
#ifndef IPCTRACE_LOAD_SITE_H
#define IPCTRACE_LOAD_SITE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define LOAD_WHY_LEN 512

/* Memory that the program shares with its load. */
struct load_shared {
	_Atomic uint64_t count;
	_Atomic bool is_ready;
	char reason[LOAD_WHY_LEN]; /* the load's own words for why it can't go on */
	char why[LOAD_WHY_LEN];    /* the whole line; complete once the supervisor has ended */
};

struct site {
	const char *command;   /* what the user wrote */
	const char *directory; /* private; goes with all that is in it */
	struct load_shared *shared;
	int ready_fd; /* a pipe to the program: one byte says that the load works */
};

/* The load works. */
void site_ready(struct site *site);

/* The load has done its work once more. */
void site_count(struct site *site);

/* Why the load can't go on, in a few words. Returns the status to exit with. */
__attribute__((format(printf, 2, 3))) int site_fail(struct site *site, const char *format, ...);

/* Streams of a program that site_spawn() starts. Negative: /dev/null; never stderr. */
struct streams {
	int input;
	int output;
};

#define NO_STREAMS ((struct streams){-1, -1})

/*
 * Starts a program, found in PATH, without further descriptors; it ends when this process does.
 * `argv` ends with NULL. Its number, or -errno; a program that can't be run ends with status 127.
 */
pid_t site_spawn(const char *const argv[], struct streams streams);

/* Its wait status; negative: -errno. */
int site_wait(pid_t pid);

/* Runs it to its end: 0, or what site_fail() returned if that was not status 0. */
int site_run(struct site *site, const char *const argv[]);

/* "curl ended with status 7" and the like. Returns what site_fail() does. */
int site_fail_ended(struct site *site, const char *program, int status);

/* Whether a program is installed: a path, or a name that is looked for in PATH. */
bool site_has_program(const char *program);

void site_sleep_ms(unsigned int ms);

#endif
