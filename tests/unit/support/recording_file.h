/* SPDX-License-Identifier: BSD-2-Clause */
/* A recording of two runs on disk, which tests cut, damage and read. */
#pragma once

#include "support/build.h"
#include "support/capture.h"

#include "recording/block.h"
#include "recording/recording.h"

#define PREAMBLE_SIZE      16
#define CHECK_SIZE         4
#define END_MARK_SIZE      24
#define RECORDING_FILE_MAX (64 * 1024)

/* A recording of two runs, and the offsets where its parts end. */
struct recording_file {
	char path[64];
	struct tape tape; /* the records, which are the same in both runs */
	unsigned char bytes[RECORDING_FILE_MAX];
	size_t size;
	size_t header_end[2];
	size_t record_end[2][16]; /* of the block that holds the record */
	size_t record_cnt[2];
};

/* It is removed when the test ends. */
struct recording_file *recording_file_new(void);

/* Reads any file into RECORDING_FILE_MAX bytes. Returns its size. */
size_t recording_file_load(const char *path, void *bytes);

/* How many records of a run lie in blocks that end at or before offset `end`. */
size_t recording_file_records_before(const struct recording_file *file, int run, size_t end);

/* What a reader got from a file, and what it logged. */
struct reading {
	int runs;
	size_t records[8]; /* of each run */
	int end;           /* what the last recording__next_run() returned */
	struct run_info info;
	struct capture err;
};

/* Reads all runs of the file; of `bytes`, which replace the file. */
void read_recording(struct reading *reading, const char *path);
void read_recording_bytes(struct reading *reading, const struct recording_file *file,
			  const void *bytes, size_t size);

/* One line names the file and the reason. */
void assert_recording_refused(const struct reading *reading, const struct recording_file *file,
			      const char *reason);

/* Flips one to four bits between two offsets. */
void flip_bits(unsigned char *bytes, size_t from, size_t to, uint64_t *seed);
