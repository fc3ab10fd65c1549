/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the tests' programs know of their own calls: when each began and ended by CLOCK_MONOTONIC,
 * and which message it carried. The tests compare this with what ipctrace says.
 *
 * Every message begins with a struct head, which joins a receive to its send.
 * Each thread keeps its entries in memory and writes them to DIR/TID at its end.
 */
#pragma once

#define _GNU_SOURCE

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct head {
	uint32_t tid;    /* the sender */
	uint32_t number; /* counts what this thread sends, from 1; 0: none */
};

enum kind {
	LOG_SEND = 'S',    /* a call that sends */
	LOG_RECEIVE = 'R', /* a call that receives, one entry per message that it took */
	LOG_WOKEN = 'F',   /* the same, of a futex that was waited for; bytes: how often woken */
	LOG_PEEK = 'P',
	LOG_BUSY = 'B',    /* the thread was on the CPU, between two receives */
	LOG_SERVICE = 'C', /* from a request's receive to its answer's send; bytes: CPU time, ns */
	LOG_SLEPT = 'W',   /* the same, if it went to sleep meanwhile; bytes: how often */
	LOG_PREEMPTED = 'E', /* the same, if others took its CPU */
	LOG_CONNECT = 'O',   /* a connection was made; bytes: 1 if it failed */
};

struct entry {
	uint64_t enter_ns;
	uint64_t exit_ns;
	uint32_t bytes; /* of the whole call */
	uint32_t kind;  /* enum kind */
	struct head head;
};

/* SIGTERM arrived. Calls then fail with EINTR, and the programs end. */
static volatile sig_atomic_t ended;

static __thread struct entry *log_entries;
static __thread size_t log_cnt, log_size;
static __thread uint32_t log_number;

static inline _Noreturn void die(const char *what)
{
	fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, strerror(errno));
	exit(EXIT_FAILURE);
}

static inline bool is(const char *option, const char *name)
{
	return !strcmp(option, name);
}

static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

static inline uint64_t now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

static inline void log_add(enum kind kind, uint64_t enter_ns, uint64_t exit_ns, uint32_t bytes,
			   struct head head)
{
	if (log_cnt == log_size) {
		log_size = log_size ? 2 * log_size : 4096;
		log_entries = realloc(log_entries, log_size * sizeof(*log_entries));
		if (!log_entries)
			die("cannot keep the log");
	}
	log_entries[log_cnt++] = (struct entry){enter_ns, exit_ns, bytes, kind, head};
}

/* One entry for each message of `unit` bytes that begins in these; 0: they are one. */
static inline void log_messages(enum kind kind, size_t unit, uint64_t enter_ns, uint64_t exit_ns,
				const char *data, size_t bytes)
{
	size_t step = unit ? unit : bytes, at = 0;

	do {
		struct head head = {0};

		if (bytes - at >= sizeof(head))
			memcpy(&head, data + at, sizeof(head));
		log_add(kind, enter_ns, exit_ns, bytes, head);
		at += step;
	} while (at < bytes);
}

/* A forked child has logged nothing yet. */
static inline void log_forget(void)
{
	log_cnt = 0;
	log_number = 0;
}

/* Appends: an earlier program of the same process may have written there. */
static inline void log_write(const char *dir)
{
	size_t size = log_cnt * sizeof(*log_entries);
	char path[PATH_MAX];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%d", dir, gettid());
	file = fopen(path, "a");
	if (!file || fwrite(log_entries, 1, size, file) != size || fclose(file))
		die(path);
	log_cnt = 0;
}

/* The head of this thread's next message. */
static inline struct head log_next(void)
{
	return (struct head){gettid(), ++log_number};
}

static inline void on_end(int signal)
{
	(void)signal;
	ended = 1;
}

/* The test sends SIGTERM until the program has ended: one may come just before a call. */
static inline void log_begin(void)
{
	struct sigaction action = {.sa_handler = on_end};

	sigaction(SIGTERM, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
}

static inline void ready(void)
{
	puts("ready");
	fflush(stdout);
}

static inline uint64_t cpu_ns(void)
{
	return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* Runs until this thread has been on a CPU for so long, with few system calls. */
static inline void spin(uint64_t ns)
{
	uint64_t end_cpu_ns = cpu_ns() + ns, end_ns, used_ns;

	while ((used_ns = cpu_ns()) < end_cpu_ns)
		for (end_ns = now_ns() + end_cpu_ns - used_ns; now_ns() < end_ns;)
			;
}

static inline void nap(uint64_t ns)
{
	struct timespec time = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};

	if (ns)
		nanosleep(&time, NULL);
}

static inline void sleep_until(uint64_t ns)
{
	struct timespec until = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR && !ended)
		;
}
