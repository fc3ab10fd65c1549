/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares what a background load can use: its --load text, its directory, memory shared with
 * ipctrace, and functions that start programs.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define LOAD_WHY_LEN 512

/* Memory that the program shares with its load. */
struct load_shared {
	_Atomic uint64_t count;
	_Atomic bool is_ready;
	char reason[LOAD_WHY_LEN]; /* why the load cannot go on, in its own words */
	char why[LOAD_WHY_LEN]; /* the whole error line; complete once the supervisor has ended */
};

struct site {
	const char *command;   /* the text of --load */
	const char *directory; /* private; removed with all its files */
	struct load_shared *shared;
	int ready_fd; /* a pipe to the program: one byte says that the load works */
};

/* Reports that the load works. */
void site_ready(struct site *site);

/* Counts one more unit of work. */
void site_count(struct site *site);

/* Reports why the load cannot go on, in a few words. Returns the exit status. */
__attribute__((format(printf, 2, 3))) int site_fail(struct site *site, const char *format, ...);

/* Descriptors for a program that site_spawn() starts. Negative: /dev/null. Stderr is inherited. */
struct streams {
	int input;
	int output;
};

#define NO_STREAMS ((struct streams){-1, -1})

/*
 * Starts a program that is found in PATH. It inherits no other descriptors and ends when this
 * process does. `argv` ends with NULL. Returns its pid or -errno. A program that cannot be run
 * exits with status 127.
 */
pid_t site_spawn(const char *const argv[], struct streams streams);

/* Waits for a process. Its wait status, or negative: -errno. */
int site_wait(pid_t pid);

/*
 * Runs a program, called `name`, that goes on until it is killed. The load works once it is not
 * starting any more, which is asked every 10 ms. Returns what site_fail() does.
 */
int site_run_on(struct site *site, const char *name, const char *const argv[],
		bool (*is_starting)(pid_t pid, unsigned int ms));

/*
 * Starts a program and reads the first line that it prints, without its newline. False: it printed
 * none.
 */
bool site_first_line(const char *const argv[], char *line, int size);

/* Fails with "curl ended with status 7" and the like. Returns what site_fail() does. */
int site_fail_ended(struct site *site, const char *program, int status);

/* Whether a program is installed: a path, or a name that is searched for in PATH. */
bool site_has_program(const char *program);

void site_sleep_ms(unsigned int ms);
