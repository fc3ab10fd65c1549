/* SPDX-License-Identifier: BSD-2-Clause */
/* A recording of a small run in a file, and what `ipctrace report` says about it. */
#pragma once

#include "support/build.h"
#include "support/capture.h"

struct report_options;

#include <jansson.h>

#define SERVER   41
#define CLIENT   42
#define CHANNEL  7
#define WARMUP   10
#define ROUNDS   20
#define ROUND_NS 10000000ULL
#define PREAMBLE 16
#define CHECK    4
#define END_MARK 24
#define FILE_MAX (64 * 1024)

/* This many rounds are slower than SLOW_NS. */
#define SLOW_ROUNDS    3
#define SLOW_NS        13000
#define SLOW_CONDITION "latency>13us"
#define KEEP_NS        5000000

/* Without tracing the workload's own records are the only ones. */
void fill_tape(struct tape *tape, bool traced);

/* It is removed when the test ends. */
struct file {
	char path[64];
	unsigned char bytes[FILE_MAX];
	size_t size;
	size_t run_size;
	size_t header_size;
};

void write_bytes(const struct file *file, const void *bytes, size_t size);

struct file *file_of(const struct tape *tape, int runs, bool traced);

struct file *file_new(int runs);

/* A recording of the time around the slow messages of the same run: all of it. */
struct file *slow_file_new(void);

struct said {
	int status;
	struct capture out;
	struct capture err;
};

void report_with(struct said *said, const struct report_options *options);
void report_to(struct said *said, const char *path, const char *format, const char *output);

void report_file(struct said *said, const struct file *file, const char *format);

json_t *parse_report(const struct said *said);
